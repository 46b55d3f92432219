import type { Approval } from "@/api/types";
import { visibleText } from "@/text/visible";
import { Time } from "@/ui/Time";

const words = { due: "wanted", overdue: "overdue since", decides: "decides", role: (role: string) => `a person with the role ${role}`, escalated: "passed on" };

/** Who is to decide on a hold, and by when; nothing for what anybody decides at any time. */
export function Whose({ approval }: { approval: Approval }) {
  if (approval.status !== "pending") return null;
  const who = approval.may_decide && approval.may_decide !== "anybody" ? approval.may_decide : approval.for ? (approval.for.name ?? (approval.for.role ? words.role(approval.for.role) : "")) : "";
  if (!who && !approval.due_at) return null;
  return (
    <span className="flex flex-wrap justify-between gap-x-2 text-xs text-ink-2">
      {who && <span className="wrap-anywhere">{words.decides}: {visibleText(who)}{approval.escalated && ` (${words.escalated})`}</span>}
      {approval.due_at && <span className={approval.overdue ? "font-semibold text-failed" : ""}>{approval.overdue ? words.overdue : words.due} <Time at={approval.due_at} ahead={!approval.overdue} /></span>}
    </span>
  );
}
