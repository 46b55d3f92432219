import { useState } from "react";
import { useRead } from "@/api/query";
import { t } from "@/text/language";
import { told } from "@/text/told";
import { prose, visibleText } from "@/text/visible";
import { Button } from "@/ui/Button";
import { Chip } from "@/ui/Chip";
import { Field } from "@/ui/Field";
import { ErrorNote, Loading } from "@/ui/Notice";
import { Time } from "@/ui/Time";
import { useSave } from "./useSave";

interface Fact {
  agent: string;
  id: string;
  text: string;
  value: string;
  source: string;
  /** Nobody read its source: a person has to confirm it. */
  confirm: boolean;
  /** A person may confirm another number. */
  number?: boolean;
  confirmed?: { value: string; by: string; at: string };
}

/** What agents take from rules, with the source of each, and what of it a person has to confirm. */
export function Facts() {
  const { data, error, isPending, refetch } = useRead<{ facts: Fact[] }>("/api/facts");
  return (
    <div className="space-y-4">
      <p className="text-ink-2">{t("settings.factsWhat")}</p>
      {error && <ErrorNote error={error} title={t("settings.factsUnread")} retry={() => void refetch()} />}
      {isPending && <Loading />}
      <ul className="space-y-2">
        {(data?.facts ?? []).map((fact) => <One key={`${fact.agent}.${fact.id}`} fact={fact} />)}
      </ul>
    </div>
  );
}

function One({ fact }: { fact: Fact }) {
  const { busy, failure, save } = useSave("facts");
  const [value, setValue] = useState(fact.confirmed?.value ?? fact.value);
  const key = ["fact", fact.agent, fact.id].join(".");
  // A value in words says again what the sentence says.
  const name = prose(told(fact.text));
  return (
    <li className="space-y-2 rounded-md border bg-surface p-3">
      <p className="wrap-anywhere">{name}</p>
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-sm">
        {/\d/.test(fact.value) && (
          <>
            <dt className="text-ink-2">{t("settings.factValue")}</dt>
            <dd className="wrap-anywhere">{prose(told(fact.confirmed?.value ?? fact.value))}</dd>
          </>
        )}
        <dt className="text-ink-2">{t("settings.factSource")}</dt>
        <dd className="wrap-anywhere">{prose(told(fact.source))}</dd>
      </dl>
      {fact.confirm && (
        <div className="flex flex-wrap items-end gap-2">
          {fact.confirmed ? (
            <p className="mr-auto text-sm">{t("settings.factConfirmedBy", { by: visibleText(fact.confirmed.by) })} <Time at={fact.confirmed.at} className="text-ink-3" /></p>
          ) : (
            <p className="mr-auto"><Chip>{t("settings.factToBeConfirmed")}</Chip></p>
          )}
          {fact.number && !fact.confirmed && <Field label={t("settings.factValue")} inputMode="decimal" className="w-24" value={value} onChange={(event) => setValue(event.target.value)} />}
          {fact.confirmed ? (
            <Button small disabled={busy} aria-label={t("settings.factTakeBackNamed", { name })} onClick={() => void save("set_setting", { key, value: "" }, t("settings.factTakenBack"))}>{t("settings.factTakeBack")}</Button>
          ) : (
            <Button small disabled={busy || value.trim() === ""} aria-label={t("settings.factConfirmNamed", { name })} onClick={() => void save("set_setting", { key, value: fact.number ? value.trim() : fact.value }, t("settings.factIsConfirmed"))}>{t("settings.factConfirm")}</Button>
          )}
        </div>
      )}
      {failure !== null && <ErrorNote error={failure} />}
    </li>
  );
}
