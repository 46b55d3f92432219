import { Copy } from "lucide-react";
import { t } from "@/text/language";
import { Button } from "@/ui/Button";
import { copyText } from "@/ui/clipboard";
import { say, sayError } from "@/ui/toasts";
import { dropBegun, useBegun } from "./begun";

/** What somebody was writing when another one was quicker: it is theirs to copy. why says who did what. */
export function Begun({ id, open, why }: {
  id: string;
  /** The digest of the card that is still open, whose fields have their words themselves. */
  open?: string;
  why: string;
}) {
  const pieces = useBegun(id, open);
  if (pieces.length === 0) return null;
  return (
    <section aria-label={t("approvals.whatYouHadWritten")} className="space-y-2 rounded-md border border-line-strong bg-sunken p-2 text-sm">
      <p role="status" className="wrap-anywhere">{t("approvals.notSent", { why })}</p>
      {pieces.map(({ label, text }) => (
        <div key={label}>
          <div className="flex flex-wrap items-center justify-between gap-x-2">
            <h4 className="text-xs text-ink-2">{label}</h4>
            <Button small look="quiet" icon={Copy} onClick={() => { copyText(text).then(() => say(t("approvals.copied")), sayError); }}>{t("conversation.copy")}</Button>
          </div>
          <p className="whitespace-pre-wrap wrap-anywhere">{text}</p>
        </div>
      ))}
      <Button small look="quiet" onClick={() => dropBegun(id)}>{t("approvals.discardIt")}</Button>
    </section>
  );
}
