import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { copyText } from "./clipboard";
import { say } from "./toasts";

/** The start of an id or digest; a click copies all of it. */
export function ShortId({ value, length = 12, what = "id" }: { value: string; length?: number; what?: string }) {
  const [copied, setCopied] = useState(false);
  if (!value) return null;
  const bare = value.replace(/^sha256:/, "");
  const copy = async () => {
    try {
      await copyText(value);
      setCopied(true);
      say(`Copied the ${what}.`);
      setTimeout(() => setCopied(false), 1500);
    } catch {
      say(`Could not copy the ${what}; it is shown in full on hover.`, "failed");
    }
  };
  const Icon = copied ? Check : Copy;
  return (
    <button
      type="button"
      title={`${value} (click copies)`}
      onClick={() => void copy()}
      className="inline-flex items-center gap-1 rounded-sm px-1 font-mono text-xs text-ink-2 hover:bg-hover hover:text-ink"
    >
      {bare.slice(0, length)}
      <span className="sr-only"> copy {what}</span>
      <Icon aria-hidden className="size-3" />
    </button>
  );
}
