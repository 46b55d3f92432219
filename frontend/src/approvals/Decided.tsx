import { t } from "@/text/language";
import { Time } from "@/ui/Time";
import { reviewerName } from "./identity";

/** Who decided and when. Who approves a call does not carry it out: that has a time of its own. */
export function Decided({ rejected, reviewer, identity, at }: { rejected: boolean; reviewer: string | undefined; identity: string | undefined; at: string | undefined }) {
  if (!reviewer || !at) return null;
  return (
    <span className="text-ink-2 wrap-anywhere">
      {t(rejected ? "approvals.rejectedBy" : "approvals.approvedBy", { reviewer: reviewerName(reviewer, identity) })} <Time at={at} />
    </span>
  );
}
