import { useId, type ReactNode } from "react";
import { visibleText } from "@/text/visible";

/** A calm box with a heading. */
export function Card({ title, level: Heading = "h3", children }: { title: string; level?: "h2" | "h3"; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="space-y-3 rounded-md border border-line-strong bg-surface p-4">
      <Heading id={id} className="font-semibold">{visibleText(title)}</Heading>
      {children}
    </section>
  );
}

/** The same, closed until somebody wants to see it. */
export function FoldedCard({ title, aside, children }: { title: string; aside?: string; children: ReactNode }) {
  return (
    <details className="rounded-md border bg-surface">
      <summary className="cursor-pointer px-4 py-2.5 font-medium">
        {visibleText(title)}
        {aside && <span className="font-normal text-ink-2"> — {visibleText(aside)}</span>}
      </summary>
      <div className="space-y-3 border-t p-4">{children}</div>
    </details>
  );
}
