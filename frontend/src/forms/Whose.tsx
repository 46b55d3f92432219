import type { Approval } from "@/api/types";
import { t } from "@/text/language";
import { visibleText } from "@/text/visible";
import { Time } from "@/ui/Time";

/** Who is to decide on a hold, and by when; nothing for what anybody decides at any time. */
export function Whose({ approval }: { approval: Approval }) {
  if (approval.status !== "pending") return null;
  const who = approval.may_decide && approval.may_decide !== "anybody" ? approval.may_decide : approval.for ? (approval.for.name ?? (approval.for.role ? t("approvals.aPersonWithTheRole", { role: approval.for.role }) : "")) : "";
  if (!who && !approval.due_at) return null;
  return (
    <span className="flex flex-wrap justify-between gap-x-2 text-xs text-ink-2">
      {who && <span className="wrap-anywhere">{approval.escalated ? t("forms.decidesPassedOn", { who: visibleText(who) }) : t("forms.decides", { who: visibleText(who) })}</span>}
      {approval.due_at && <span className={approval.overdue ? "font-semibold text-failed" : ""}>{approval.overdue ? t("forms.overdueSince") : t("forms.wanted")} <Time at={approval.due_at} ahead={!approval.overdue} /></span>}
    </span>
  );
}
