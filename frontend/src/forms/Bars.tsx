import { useRead } from "@/api/query";
import type { BudgetLine, TurnRow } from "@/api/types";
import type { TurnView } from "@/journal/view";
import { duration } from "@/text/format";
import { language, t } from "@/text/language";
import { visibleText } from "@/text/visible";

const titles: Record<string, "forms.tokens" | "forms.money" | "forms.roundsOfCalls" | "forms.timeAtWork"> = { tokens: "forms.tokens", cost: "forms.money", iterations: "forms.roundsOfCalls", time: "forms.timeAtWork" };

/** What is used of each limit: as the program counts it, else as far as the turn's row tells. */
export function linesOf(row: TurnRow | undefined, turn: TurnView): BudgetLine[] {
  if (row?.budget?.length) return row.budget;
  const limits = row?.limits;
  const used = { ...row?.used, ...turn.used };
  const lines: BudgetLine[] = [];
  const add = (limit: string, unit: string, n: number | undefined, max: number | undefined) => {
    if (max) lines.push({ limit, unit, used: n ?? 0, max, reached: (n ?? 0) >= max });
  };
  add("tokens", "tokens", used.tokens, limits?.tokens);
  add("cost", "USD", used.cost, limits?.cost);
  add("time", "seconds", (used.time_ns ?? 0) / 1e9, limits?.time_ns && limits.time_ns / 1e9);
  return lines;
}

const amount = (n: number, unit: string) => (unit === "USD" ? n.toLocaleString(language(), { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol", useGrouping: false }) : unit === "seconds" ? duration(n * 1000) : n.toLocaleString(language(), { maximumFractionDigits: 0 }));

/** Tokens, money, rounds and time of a turn as bars; nothing for one without limits. */
export function Bars({ session, turn, title }: { session: string; turn: TurnView; title?: string }) {
  const rows = useRead<TurnRow[] | null>(session ? `/api/sessions/${encodeURIComponent(session)}/turns` : null);
  const lines = linesOf(rows.data?.find((one) => one.turn === turn.id), turn);
  if (lines.length === 0) return null;
  const bars = (
    <ul aria-label={t("forms.whatOfTheBudgetIsUsed")} className="grid grid-cols-[auto_1fr_auto] items-center gap-x-3 gap-y-1 text-xs">
      {lines.map(({ limit, used, max, unit, reached }) => {
        const full = reached || used >= max;
        const share = Math.min(100, (100 * used) / max);
        const name = titles[limit] ? t(titles[limit]) : visibleText(limit.replaceAll("_", " "));
        const [some, most] = [amount(used, unit), amount(max, unit)];
        const text = full ? t("forms.ofUsedUp", { used: some, max: most }) : t("forms.of", { used: some, max: most });
        return (
          <li key={limit} className="contents">
            <span aria-hidden className="text-ink-2">{name}</span>
            <span role="meter" aria-label={name} aria-valuemin={0} aria-valuemax={max} aria-valuenow={Math.min(used, max)} aria-valuetext={text} className="block h-2 overflow-hidden rounded-sm border bg-sunken">
              <span className={`block h-full ${full ? "bg-degraded" : "bg-accent"}`} style={{ width: `${share}%` }} />
            </span>
            <span aria-hidden className={`tabular-nums ${full ? "font-medium text-degraded" : "text-ink-2"}`}>{text}</span>
          </li>
        );
      })}
    </ul>
  );
  if (!title) return bars;
  return (
    <section aria-label={title} className="space-y-2">
      <h4 className="font-semibold">{title}</h4>
      {bars}
    </section>
  );
}
