import { ShieldAlert, X } from "lucide-react";
import type { Approval } from "@/api/types";
import { href } from "@/shell/route";
import { typeName } from "@/subject/subject";
import { t } from "@/text/language";
import { told } from "@/text/told";
import { prose, visibleName, visibleText } from "@/text/visible";
import { IconButton } from "@/ui/Button";
import { ShortId } from "@/ui/ShortId";
import { StateBadge } from "@/ui/State";
import { Time } from "@/ui/Time";
import { Decided } from "./Decided";
import { plainName } from "./plainName";

/** What is left of an approval whose session was deleted: who gave it and when, and which records it changed. */
export function Erased({ approval, onClose }: { approval: Approval; onClose?: () => void }) {
  const title = prose(told(approval.tool_title ?? "") || plainName(approval.tool));
  return (
    <section aria-label={title} data-approval={approval.id} className="rounded-md border border-line-strong bg-surface">
      <header className="flex items-start gap-2 rounded-t-md border-b bg-sunken px-pad py-2">
        <ShieldAlert aria-hidden className="mt-0.5 size-5 shrink-0 text-ink-3" />
        <h3 className="min-w-0 flex-1 font-semibold wrap-anywhere">{title}</h3>
        {onClose && <IconButton icon={X} label={t("approvals.closeDecidesNothing")} small onClick={onClose} />}
      </header>
      <div className="space-y-3 p-pad">
        <p>{t("approvals.whatItSaidWasDeleted")}{approval.practice && ` ${t("approvals.aScriptAsked")}`}</p>
        <p className="flex flex-wrap items-center gap-x-2">
          <StateBadge name="used" />
          {approval.used_at && <Time at={approval.used_at} className="text-ink-2" />}
          <Decided rejected={false} reviewer={approval.reviewer} identity={approval.identity} at={approval.decided_at} />
          {approval.meaning && <span className="text-ink-2 wrap-anywhere">{t("approvals.signature", { meaning: visibleText(approval.meaning) })}</span>}
        </p>
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
          {(approval.changes ?? []).map(({ ref }) => (
            <div key={`${ref.type}/${ref.id}`} className="contents">
              <dt className="text-ink-2 first-letter:uppercase">{typeName(ref.type)}</dt>
              <dd><a className="text-accent underline underline-offset-2 wrap-anywhere" href={href("records", ref.type, ref.id)}>{visibleName(approval.names?.[`${ref.type}/${ref.id}`] || ref.id)}</a></dd>
            </div>
          ))}
          <dt className="text-ink-2">{t("approvals.digest2")}</dt><dd><ShortId value={approval.digest} what={t("approvals.digest")} /></dd>
          {approval.original && <><dt className="text-ink-2">{t("approvals.originalDigest")}</dt><dd><ShortId value={approval.original.digest} what={t("approvals.originalDigest2")} /></dd></>}
        </dl>
      </div>
    </section>
  );
}
