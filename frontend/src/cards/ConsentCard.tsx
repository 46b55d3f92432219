import { Check, Minus } from "lucide-react";
import { useState } from "react";
import { visibleText } from "@/text/visible";
import { Button } from "@/ui/Button";
import { Card, FoldedCard } from "./Card";
import type { Doing } from "./SessionCards";
import type { Cards } from "./types";

/** What may be remembered: asked until it is answered, then shown and taken back at any time. */
export function ConsentCard({ session, cards, doing }: { session: string; cards: Cards; doing: Doing }) {
  const { words, consent } = cards;
  const [done, setDone] = useState("");
  const [deleting, setDeleting] = useState(false);
  // Asked and answered “no” on this screen is answered.
  const [answered, setAnswered] = useState(false);
  const full = consent.scope === "full";
  const set = async (scope: string, remove: boolean, after: string) => {
    if (!(await doing.call("set_consent", { id: session, scope, ...(remove ? { delete: true } : {}) }))) return;
    setDone(after);
    setDeleting(false);
    setAnswered(true);
  };
  const body = (
    <>
      {!full && consent.closed && <p>{visibleText(consent.closed)}</p>}
      {consent.asked && !answered && <p>{visibleText(words.consent_question ?? "")}</p>}
      <div className="flex flex-wrap gap-2">
        {!full && !consent.closed && <Button look={consent.asked && !answered ? "primary" : "plain"} disabled={doing.busy} className="!whitespace-normal" onClick={() => void set("full", false, "")}>{visibleText(words.consent_yes ?? "")}</Button>}
        {consent.asked && !answered && <Button disabled={doing.busy} className="!whitespace-normal" onClick={() => void set("pending_consent", false, "")}>{visibleText(words.consent_no ?? "")}</Button>}
        {full && <Button disabled={doing.busy} className="!whitespace-normal" onClick={() => void set("pending_consent", false, words.consent_stopped ?? "")}>{visibleText(words.consent_withdraw ?? "")}</Button>}
      </div>
      {done && <p role="status">{visibleText(done)}</p>}
      {consent.kept > 0 && (
        <div className="space-y-2">
          <p className="text-ink-2">{visibleText(consent.keeps)}</p>
          {deleting ? (
            <div role="group" aria-label={consent.delete} className="space-y-2 rounded-md border border-line-strong p-3">
              <p>{visibleText(consent.delete)}</p>
              <div className="flex flex-wrap gap-2">
                <Button look="danger" disabled={doing.busy} onClick={() => void set("pending_consent", true, words.deleted ?? "")}>{visibleText(words.delete ?? "")}</Button>
                <Button onClick={() => setDeleting(false)}>{visibleText(words.cancel ?? "")}</Button>
              </div>
            </div>
          ) : (
            !full && <Button look="danger" disabled={doing.busy} onClick={() => setDeleting(true)}>{visibleText(words.delete ?? "")}</Button>
          )}
        </div>
      )}
      <What cards={cards} />
    </>
  );
  if (consent.asked && !answered) return <Card title={words.consent_title ?? ""}>{body}</Card>;
  return <FoldedCard title={words.consent_title ?? ""} aside={consent.say}>{body}</FoldedCard>;
}

/** What each scope allows. */
function What({ cards: { words, consent } }: { cards: Cards }) {
  const rows = consent.scopes[0]?.allows ?? [];
  return (
    <details>
    <summary className="cursor-pointer text-ink-2">{visibleText(words.what_each_allows ?? "")}</summary>
    <div tabIndex={0} role="region" aria-label={words.what_each_allows} className="overflow-x-auto">
      <table className="w-full text-sm">
        <caption className="sr-only">{visibleText(words.what_each_allows ?? "")}</caption>
        <thead>
          <tr>
            <td />
            {consent.scopes.map((one) => (
              <th key={one.scope} scope="col" className={`px-2 py-1 text-left align-bottom font-medium ${one.scope === consent.scope ? "bg-accent-soft" : ""}`}>
                {visibleText(one.say)}
                {one.scope === consent.scope && <span className="block font-normal text-ink-2">{visibleText(words.now ?? "")}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={row.say} className="border-t">
              <th scope="row" className="py-1 pr-2 text-left font-normal wrap-anywhere">{visibleText(row.say)}</th>
              {consent.scopes.map((one) => {
                const yes = one.allows[at]?.yes === true;
                const Icon = yes ? Check : Minus;
                return (
                  <td key={one.scope} className={`px-2 py-1 ${one.scope === consent.scope ? "bg-accent-soft" : ""}`}>
                    <span className="inline-flex items-center gap-1"><Icon aria-hidden className={`size-4 ${yes ? "text-done" : "text-ink-3"}`} />{visibleText((yes ? words.allowed : words.not_allowed) ?? "")}</span>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    </details>
  );
}
