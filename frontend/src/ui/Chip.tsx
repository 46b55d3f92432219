import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

/** A small fact. */
export function Chip({ icon: Icon, children, title, mono }: { icon?: LucideIcon; children: ReactNode; title?: string; mono?: boolean }) {
  return (
    <span title={title} className={`inline-flex max-w-full items-center gap-1 rounded-sm border border-line bg-surface px-1.5 text-xs text-ink-2 ${mono ? "font-mono" : ""}`}>
      {Icon && <Icon aria-hidden className="size-3 shrink-0" />}
      <span className="truncate">{children}</span>
    </span>
  );
}
