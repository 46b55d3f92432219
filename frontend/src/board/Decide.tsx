import { useQueryClient } from "@tanstack/react-query";
import { useId, useState, type FormEvent } from "react";
import { useCall, useRead } from "@/api/query";
import type { AppState } from "@/api/types";
import { useReviewer } from "@/approvals/reviewer";
import { t } from "@/text/language";
import { told } from "@/text/told";
import { visibleText } from "@/text/visible";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Field, TextField } from "@/ui/Field";
import { ErrorNote } from "@/ui/Notice";
import { Sides } from "./Sides";
import type { Deciding } from "./Study";
import { isVerdict, type Board, type BoardChange, type Outcome } from "./types";

const titles: Record<Deciding["op"], string> = {
  get add() { return t("board.addAHypothesis"); }, get edit() { return t("board.wordTheHypothesisAnew"); }, get confirm() { return t("board.confirmTheHypothesis"); }, get refute() { return t("board.refuteTheHypothesis"); },
  get reopen() { return t("board.leaveTheHypothesisToTheEvidence"); }, get resolve() { return t("board.resolveTheConflict"); },
};

const outcomes: { id: Outcome; title: string }[] = [
  { id: "source_a", get title() { return t("board.sourceAStandsBIsSet"); } },
  { id: "source_b", get title() { return t("board.sourceBStandsAIsSet"); } },
  { id: "both", get title() { return t("board.bothStandTheySpeakOfDifferent"); } },
];

/** Asks for what a decision needs, and keeps it under the person's name. */
export function Decide({ board, what, seen, onClose }: { board: Board; what: Deciding; /** The last decision that stood on the board when this was opened; 0 for none. */ seen: number; onClose(): void }) {
  const client = useQueryClient();
  const call = useCall<BoardChange, Board>("change_board");
  const { names, keep } = useReviewer();
  const set = useRead<AppState>("/api/state").data?.reviewer ?? "";
  const known = names[board.session] ?? set;
  const [reviewer, setReviewer] = useState<string | null>(null);
  const [reason, setReason] = useState("");
  const [statement, setStatement] = useState(what.op === "edit" ? (what.hypothesis?.statement ?? "") : "");
  const [outcome, setOutcome] = useState<Outcome | "">("");
  const name = useId();
  const subject = what.hypothesis ? `h-${what.hypothesis.id}` : what.conflict ? `c-${what.conflict.id}` : "hypotheses";
  const words = what.op === "add" || what.op === "edit";
  const who = reviewer ?? known;
  const lacking = [
    words && !statement.trim() && t("board.statement"),
    what.op === "resolve" && !outcome && t("board.whichSourceStands"),
    what.op !== "add" && !reason.trim() && t("board.reason"),
    !who.trim() && t("board.yourName"),
  ].filter(Boolean);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (lacking.length > 0) return;
    call.mutate(
      { turn: board.turn, op: what.op, on: what.hypothesis?.id ?? what.conflict?.id ?? "", statement: words ? statement : "", reason, reviewer: who, seen, ...(outcome ? { outcome } : {}) },
      // The board is as it was decided when the focus goes back to it.
      { onSuccess: async () => {
        keep(board.session, who.trim());
        await client.invalidateQueries({ queryKey: ["api", "boards"] });
        onClose();
      } },
    );
  };
  const verdict = what.hypothesis?.decision && isVerdict(what.hypothesis.decision) ? what.hypothesis.decision : undefined;
  const about = what.hypothesis?.statement ?? (what.conflict && told(what.conflict.description));
  return (
    <Dialog open wide={what.op === "resolve"} after={() => document.getElementById(subject)} onOpenChange={(open) => !open && onClose()} title={titles[what.op]} description={about ? visibleText(about) : t("board.itIsJudgedAgainstAllEvidence")}>
      <form onSubmit={submit} className="space-y-3">
        {what.op === "edit" && <p className="text-sm wrap-anywhere">{t("board.judgementsAreAboutTheWords")}</p>}
        {what.op === "edit" && verdict && <p className="text-sm wrap-anywhere">{t("board.verdictIsAboutTheWords", { who: visibleText(verdict.who) })}</p>}
        {what.conflict && <Sides of={what.conflict} board={board} inert />}
        {words && <TextField label={t("board.statement")} rows={3} maxLength={1000} value={statement} onChange={(event) => setStatement(event.target.value)} />}
        {what.op === "resolve" && (
          <fieldset className="space-y-1">
            <legend className="mb-1 text-sm font-medium">{t("board.whichSourceStands")}</legend>
            {outcomes.map(({ id, title }) => (
              <label key={id} className="flex items-start gap-2">
                <input type="radio" name={name} className="mt-1 accent-accent" checked={outcome === id} onChange={() => setOutcome(id)} />
                {title}
              </label>
            ))}
          </fieldset>
        )}
        {what.op !== "add" && <TextField label={t("board.reason")} rows={2} maxLength={1000} value={reason} onChange={(event) => setReason(event.target.value)} hint={t("board.itStandsOnTheBoardAnd")} />}
        <Field label={t("board.yourName")} value={who} onChange={(event) => setReviewer(event.target.value)} />
        {call.error && <ErrorNote error={call.error} />}
        <div className="flex flex-wrap items-center justify-end gap-2">
          {lacking.length > 0 && <p id={`${name}-lacking`} className="mr-auto text-sm text-ink-2">{t("board.stillMissing", { what: lacking.join(", ") })}</p>}
          <Button onClick={onClose}>{t("board.cancel")}</Button>
          <Button type="submit" look="primary" aria-describedby={lacking.length > 0 ? `${name}-lacking` : undefined} disabled={lacking.length > 0 || call.isPending}>{t("board.keepMyDecision")}</Button>
        </div>
      </form>
    </Dialog>
  );
}
