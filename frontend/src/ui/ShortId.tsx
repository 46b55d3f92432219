import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { t } from "@/text/language";
import { copyText } from "./clipboard";
import { say } from "./toasts";

/** The start of an id or digest; a click copies all of it. */
export function ShortId({ value, length = 12, what = t("ui.id") }: { value: string; length?: number; what?: string }) {
  const [copied, setCopied] = useState(false);
  if (!value) return null;
  const bare = value.replace(/^sha256:/, "");
  const copy = async () => {
    try {
      await copyText(value);
      setCopied(true);
      say(t("ui.copiedThe", { what }));
      setTimeout(() => setCopied(false), 1500);
    } catch {
      say(t("ui.couldNotCopyTheItIs", { what }), "failed");
    }
  };
  const Icon = copied ? Check : Copy;
  return (
    <button
      type="button"
      title={t("ui.clickCopies", { value })}
      onClick={() => void copy()}
      className="inline-flex items-center gap-1 rounded-sm px-1 font-mono text-xs text-ink-2 hover:bg-hover hover:text-ink"
    >
      {bare.slice(0, length)}
      <span className="sr-only"> {t("ui.copy", { what })}</span>
      <Icon aria-hidden className="size-3" />
    </button>
  );
}
