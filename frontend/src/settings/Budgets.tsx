import { useState, type FormEvent } from "react";
import { useRead } from "@/api/query";
import type { Budget, BudgetOf } from "@/forms/types";
import { duration } from "@/text/format";
import { language, number, t } from "@/text/language";
import { told } from "@/text/told";
import { prose } from "@/text/visible";
import { Button } from "@/ui/Button";
import { Chip } from "@/ui/Chip";
import { Field } from "@/ui/Field";
import { ErrorNote, Loading } from "@/ui/Notice";
import { useSave } from "./useSave";

/** What turns of each agent may use before they stop and ask a person for more. */
export function Budgets() {
  const { data, error, isPending, refetch } = useRead<{ budgets: BudgetOf[] }>("/api/budgets");
  const [open, setOpen] = useState("");
  const agents = new Map((data?.budgets ?? []).map((one) => [one.agent, prose(told(one.agent_title ?? one.agent))]));
  return (
    <div className="space-y-6">
      <p className="text-ink-2">{t("settings.budgetsWhat")}</p>
      {error && <ErrorNote error={error} title={t("settings.budgetsUnread")} retry={() => void refetch()} />}
      {isPending && <Loading />}
      {[...agents].map(([agent, name]) => (
        <section key={agent} aria-label={name} className="space-y-2">
          <h3 className="font-semibold wrap-anywhere">{name}</h3>
          <ul className="space-y-2">
            {data!.budgets.filter((one) => one.agent === agent).map((one) => {
              const id = `${one.agent}.${one.type}`;
              const shown = open === id;
              const title = prose(told(one.title));
              return (
                <li key={id} className="space-y-3 rounded-md border bg-surface p-3">
                  <div className="flex flex-wrap items-start justify-between gap-2">
                    <div className="min-w-0 space-y-1">
                      <h4 className="flex flex-wrap items-center gap-2 font-medium wrap-anywhere">{title}{one.set && <Chip>{t("settings.setByAPerson")}</Chip>}</h4>
                      <p className="text-sm text-ink-2">{said(one.budget) || t("settings.noLimit")}</p>
                    </div>
                    <Button small aria-expanded={shown} aria-label={shown ? t("settings.closeNamed", { name: title }) : t("settings.changeNamed", { name: title })} onClick={() => setOpen(shown ? "" : id)}>{shown ? t("settings.close") : t("settings.change")}</Button>
                  </div>
                  {shown && <Change of={one} title={title} done={() => setOpen("")} />}
                </li>
              );
            })}
          </ul>
        </section>
      ))}
    </div>
  );
}

const money = (n: number) => n.toLocaleString(language(), { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol" });

/** A budget in words; "" for none. */
function said(of: Budget): string {
  const parts: string[] = [];
  if (of.tokens) parts.push(t("settings.budgetTokens", { n: of.tokens }));
  if (of.cost_usd) parts.push(money(of.cost_usd));
  if (of.iterations) parts.push(t("settings.budgetRounds", { n: of.iterations }));
  if (of.seconds) parts.push(duration(of.seconds * 1000));
  return parts.join(", ");
}

const parts = ["tokens", "cost_usd", "iterations", "minutes"] as const;
type Part = (typeof parts)[number];

/** What a person sets; a field left empty is as usual, which stands in it in grey. */
function Change({ of, title, done }: { of: BudgetOf; title: string; done(): void }) {
  const [now, setNow] = useState<Record<Part, string>>({ tokens: text(of.own?.tokens), cost_usd: text(of.own?.cost_usd), iterations: text(of.own?.iterations), minutes: text((of.own?.seconds ?? 0) / 60) });
  const [problem, setProblem] = useState<Part | "">("");
  const { busy, failure, save } = useSave("budgets");
  const usual: Record<Part, number> = { tokens: of.budget.tokens ?? 0, cost_usd: of.budget.cost_usd ?? 0, iterations: of.budget.iterations ?? 0, minutes: (of.budget.seconds ?? 0) / 60 };
  const labels: Record<Part, string> = { tokens: t("forms.tokens"), cost_usd: t("settings.moneyInDollars"), iterations: t("forms.roundsOfCalls"), minutes: t("settings.minutesAtWork") };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const budget: Budget = {};
    for (const part of parts) {
      if (!now[part].trim()) continue;
      const n = Number(now[part].replace(",", "."));
      const fits = n > 0 && (part === "cost_usd" || part === "minutes" || Number.isInteger(n));
      if (!fits) return setProblem(part);
      if (part === "minutes") budget.seconds = Math.max(1, Math.round(n * 60));
      else budget[part] = n;
    }
    setProblem("");
    if (await save("set_budget", { agent: of.agent, type: of.type, budget: Object.keys(budget).length > 0 ? budget : null }, t("settings.saved"))) done();
  };
  return (
    <form aria-label={t("settings.changeNamed", { name: title })} className="space-y-4 border-t pt-3" onSubmit={(event) => void submit(event)}>
      <p className="text-sm text-ink-2">{t("settings.emptyIsUsual")}</p>
      <div className="grid gap-3 sm:grid-cols-2">
        {parts.filter((part) => part !== "iterations" || of.usual.iterations).map((part) => (
          <Field key={part} label={labels[part]} inputMode="decimal" autoComplete="off" value={now[part]} placeholder={usual[part] ? number(usual[part]) : t("settings.noLimit")} problem={problem === part ? t("settings.aNumberAboveNothing") : undefined} onChange={(event) => setNow({ ...now, [part]: event.target.value })} />
        ))}
      </div>
      {failure !== null && <ErrorNote error={failure} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" disabled={busy}>{t("settings.save")}</Button>
        {of.set && <Button disabled={busy} onClick={() => void save("set_budget", { agent: of.agent, type: of.type, budget: null }, t("settings.saved")).then((ok) => ok && done())}>{t("settings.asUsualAgain")}</Button>}
      </div>
    </form>
  );
}

const text = (n: number | undefined) => (n ? String(n) : "");
