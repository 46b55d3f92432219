import { Brain, Eraser } from "lucide-react";
import { useState } from "react";
import { useCall, useRead } from "@/api/query";
import { useQueryClient } from "@tanstack/react-query";
import type { Json, SessionMemory as Memory } from "@/api/types";
import { plain, toolTitle } from "@/text/names";
import { Fact, Facts } from "@/inspector/Detail";
import { Value } from "@/inspector/Value";
import { go } from "@/shell/route";
import { setUi } from "@/shell/ui";
import { t } from "@/text/language";
import { told } from "@/text/told";
import { Button } from "@/ui/Button";
import { Chip } from "@/ui/Chip";
import { Dialog } from "@/ui/Dialog";
import { Empty, ErrorNote, Loading } from "@/ui/Notice";
import { Time } from "@/ui/Time";
import { say, sayError } from "@/ui/toasts";
import { ShortId } from "@/ui/ShortId";
import { visibleText } from "@/text/visible";
import { CompletenessBar, completenessWord } from "./CompletenessBar";
import { EpisodeList } from "./Episodes";
import { Weak } from "./Weak";

type Bundle = NonNullable<Memory["tools"]>[number];

/** What a session keeps between turns: the sections gathered by its tools, and what was read for them. */
export function SessionMemory({ session, compact }: { session: string; compact?: boolean }) {
  const path = `/api/memory/${encodeURIComponent(session)}`;
  const { data, error, isPending, refetch } = useRead<Memory>(path);
  const [forgetting, setForgetting] = useState<Bundle | "all" | null>(null);
  if (error)
    return (
      <div className="p-3">
        <ErrorNote error={error} title={t("memory.theMemoryOfThisSessionCould")} retry={() => void refetch()} />
      </div>
    );
  if (isPending) return <Loading what={t("memory.readingTheMemory")} />;
  const tools = data.tools ?? [];
  const entities = data.entities ?? [];
  const recent = data.recent ?? [];
  const episodes = data.episodes ?? [];
  if (tools.length + entities.length + recent.length + episodes.length === 0 && !data.scratchpad && isEmpty(data.signal))
    return (
      <Empty
        icon={Brain}
        title={t("memory.nothingIsRememberedYet")}
        action={
          compact ? undefined : (
            <Button look="primary" onClick={() => go("sessions", session)}>
              {t("memory.openTheSession")}
            </Button>
          )
        }
      >
        {t("memory.afterTheFirstTurnThisShows")}
      </Empty>
    );
  return (
    <div className={`space-y-5 ${compact ? "p-3" : "p-pad"}`}>
      <Signal signal={data.signal} weak={data.signal_weak === true} />
      <section aria-label={t("memory.sections")}>
        <div className="mb-2 flex flex-wrap items-baseline justify-between gap-2">
          <h2 className="font-semibold">{t("memory.sections")}</h2>
          <p className="text-xs text-ink-3">
            {t("memory.reusedFromOnUnlessWhatThey", { round: Math.round(data.threshold * 100) })}
          </p>
        </div>
        <ul className="divide-y rounded-md border bg-surface">
          {tools.map((bundle) => (
            <BundleRow
              key={bundle.tool}
              bundle={bundle}
              session={session}
              threshold={data.threshold}
              onForget={() => setForgetting(bundle)}
            />
          ))}
          {tools.length === 0 && <li className="p-3 text-ink-3">{t("memory.noSectionHasBeenGathered")}</li>}
        </ul>
      </section>
      {entities.length > 0 && (
        <section aria-label={t("memory.namedInTheConversation")}>
          <h2 className="mb-2 font-semibold">{t("memory.namedInTheConversation")}</h2>
          <ul className="flex flex-wrap gap-1.5">
            {entities.map((entity, index) => (
              <li key={index} className="max-w-full">
                <Chip title={entity.source ? t("memory.from", { source: entity.source }) : undefined}>
                  <span className="text-ink-3">{told(plain(entity.kind))}</span> {entity.text}
                </Chip>
              </li>
            ))}
          </ul>
        </section>
      )}
      {data.scratchpad && (
        <section aria-label={t("memory.scratchpad")}>
          <h2 className="mb-2 font-semibold">{t("memory.scratchpad")}</h2>
          <p className="rounded-md border bg-surface p-3 wrap-anywhere whitespace-pre-wrap">{visibleText(data.scratchpad)}</p>
        </section>
      )}
      {recent.length > 0 && (
        <section aria-label={t("memory.recordsTouchedLast")}>
          <h2 className="mb-2 font-semibold">{t("memory.recordsTouchedLast")}</h2>
          <ul className="flex flex-wrap gap-1.5">
            {recent.toReversed().map((name) => (
              <li key={name} className="max-w-full">
                <a className="text-sm text-accent underline underline-offset-2 wrap-anywhere" href={`#/records/${name.split("/").map(encodeURIComponent).join("/")}`}>
                  {visibleText(name)}
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
      {episodes.length > 0 && (
        <section aria-label={t("memory.whatLaterConversationsAreTold")}>
          <h2 className="mb-2 font-semibold">{t("memory.whatLaterConversationsAreTold")}</h2>
          <EpisodeList episodes={episodes} />
        </section>
      )}
      {tools.length > 0 && (
        <Button small look="danger" icon={Eraser} onClick={() => setForgetting("all")}>
          {t("memory.forgetAllSections")}
        </Button>
      )}
      <Forget session={session} what={forgetting} onClose={() => setForgetting(null)} />
    </div>
  );
}

const isEmpty = (value: Json | undefined) =>
  value === null || value === undefined || (typeof value === "object" && Object.keys(value).length === 0);

/** What the person seems to need, as the first tool put it. Fields are shown as they come. */
function Signal({ signal, weak }: { signal: Json; weak: boolean }) {
  if (isEmpty(signal)) return null;
  const entries =
    signal !== null && typeof signal === "object" && !Array.isArray(signal)
      ? (Object.entries(signal) as [string, Json][])
      : [["signal", signal] as [string, Json]];
  return (
    <section aria-label={t("memory.signal")}>
      <h2 className="mb-2 font-semibold">{t("memory.signal")}</h2>
      {weak && <Weak />}
      <Facts>
        {entries
          .filter(([, value]) => !isEmpty(value) && value !== "")
          .map(([name, value]) => (
            <Fact key={name} name={told(plain(name))}>
              <Inline value={value} />
            </Fact>
          ))}
      </Facts>
    </section>
  );
}

function Inline({ value }: { value: Json }) {
  if (Array.isArray(value) && value.every((one) => typeof one !== "object" || one === null))
    return <>{value.map(String).join(", ")}</>;
  if (value !== null && typeof value === "object") return <Value value={value} label={t("memory.value")} />;
  return <>{typeof value === "boolean" ? (value ? t("ui.yes") : t("ui.no")) : told(visibleText(String(value)))}</>;
}

function BundleRow({
  bundle,
  session,
  threshold,
  onForget,
}: {
  bundle: Bundle;
  session: string;
  threshold: number;
  onForget: () => void;
}) {
  const [open, setOpen] = useState(false);
  const reads = bundle.reads ?? [];
  const title = told(bundle.title) || toolTitle(bundle.tool);
  return (
    <li className="p-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <h3 className="min-w-40 flex-1 font-medium wrap-anywhere">{title}</h3>
        <CompletenessBar value={bundle.completeness} threshold={threshold} wide />
      </div>
      <p className="mt-0.5 flex flex-wrap gap-x-1 text-sm text-ink-2">
        {bundle.turn ? (
          <>
            {t("memory.gathered")} <Time at={bundle.at} />
            <Button
              small
              look="quiet"
              className="!min-h-0 !px-1 underline underline-offset-2"
              onClick={() => {
                setUi({ tab: "steps", stage: bundle.tool });
                go("sessions", session, bundle.turn);
              }}
            >
              {t("memory.showThatTurn")}
            </Button>
          </>
        ) : (
          t("memory.notGatheredYet")
        )}
      </p>
      {bundle.weak && <Weak />}
      {bundle.reason && <p className="text-sm wrap-anywhere text-degraded">{told(visibleText(bundle.reason))}</p>}
      {bundle.turn && bundle.completeness < threshold && (
        <p className="text-sm text-ink-3">
          {completenessWord(bundle.completeness, threshold) === "empty"
            ? t("memory.nothingWasFound")
            : t("memory.tooThinToReuseTheNext")}
        </p>
      )}
      {bundle.turn && (
        <div className="mt-1 flex flex-wrap gap-1">
          <Button small look="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? t("memory.hide") : t("memory.show")} {t("memory.content")}
            {reads.length > 0 && ` ${t("memory.andRecordsRead", { reads: reads.length })}`}
          </Button>
          <Button small look="quiet" icon={Eraser} aria-label={t("memory.forget2", { title })} onClick={onForget}>
            {t("memory.forget")}
          </Button>
        </div>
      )}
      {open && (
        <div className="mt-2 space-y-2">
          {bundle.lines ? <Lines lines={bundle.lines} language={bundle.language} label={t("memory.contentOf", { title })} /> : <Value value={bundle.output} label={t("memory.contentOf", { title })} />}
          {reads.length === 0 ? (
            <p className="text-sm text-ink-3">{t("memory.itWasMadeFromTheConversation")}</p>
          ) : (
            <ul className="max-h-60 overflow-auto text-sm" tabIndex={0} aria-label={t("memory.recordsRead")}>
              {reads.map((read) => (
                <li key={`${read.type}/${read.id}`} className="flex flex-wrap items-center gap-x-2">
                  <a
                    className="text-accent underline underline-offset-2"
                    href={`#/records/${encodeURIComponent(read.type)}/${encodeURIComponent(read.id)}`}
                  >
                    {read.type}
                  </a>
                  <ShortId value={read.id} what={t("memory.recordId")} />
                  <span className="text-xs text-ink-3">{t("memory.version")}</span>
                  <ShortId value={read.version} length={8} what={t("memory.version")} />
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </li>
  );
}

/** What is remembered, in words. */
function Lines({ lines, language, label }: { lines: NonNullable<Bundle["lines"]>; language: string | undefined; label: string }) {
  return (
    <ul aria-label={label} className="space-y-2">
      {lines.map((line, at) => (
        <li key={at} lang={language}>
          <p className="text-sm text-ink-2 wrap-anywhere">{visibleText(line.title)}</p>
          <p className="wrap-anywhere">{visibleText(line.text)}</p>
          {line.from && <p className="text-sm text-ink-2 wrap-anywhere">{visibleText(line.from)}</p>}
        </li>
      ))}
    </ul>
  );
}

function Forget({ session, what, onClose }: { session: string; what: Bundle | "all" | null; onClose: () => void }) {
  const client = useQueryClient();
  const { mutateAsync, isPending } = useCall<{ session: string; tool?: string }>("forget_memory");
  const title = what === "all" ? t("memory.allSections") : what ? told(what.title) || toolTitle(what.tool) : "";
  const forget = async () => {
    try {
      await mutateAsync(what === "all" || !what ? { session } : { session, tool: what.tool });
      await client.invalidateQueries({ queryKey: ["api", "memory"] });
      say(t("memory.forgot", { title }));
      onClose();
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <Dialog
      open={what !== null}
      onOpenChange={(open) => !open && onClose()}
      title={t("memory.forget3", { title })}
      description={t("memory.theNextTurnGathersItAgain")}
    >
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{t("memory.keep")}</Button>
        <Button look="danger" icon={Eraser} disabled={isPending} onClick={() => void forget()}>
          {t("memory.forget")}
        </Button>
      </div>
    </Dialog>
  );
}
