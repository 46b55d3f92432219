import { LoaderCircle, OctagonX, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { explain } from "@/api/types";
import { t } from "@/text/language";
import { prose } from "@/text/visible";
import { Button } from "./Button";

/** What happened, what is safe, what to do. */
export function ErrorNote({ error, title, retry }: { error: unknown; title?: string; retry?: () => void }) {
  const told = explain(error);
  // It may quote what a record or a server says.
  const [message, hint, safe] = [prose(told.message), prose(told.hint), prose(told.safe)];
  return (
    <div role="alert" className="flex gap-3 rounded-md border border-failed bg-failed-soft p-3 text-ink">
      <OctagonX aria-hidden className="mt-0.5 size-4 shrink-0 text-failed" />
      <div className="min-w-0 flex-1 space-y-1">
        <p className="font-medium wrap-anywhere">{title ?? message}</p>
        {title && <p className="wrap-anywhere">{message}</p>}
        {safe && <p className="text-ink-2 wrap-anywhere">{safe}</p>}
        {hint && <p className="text-ink-2 wrap-anywhere">{hint}</p>}
        {retry && <Button small onClick={retry}>{t("ui.tryAgain")}</Button>}
      </div>
    </div>
  );
}

/** Says what a screen is for and offers the action that fills it. */
export function Empty({ icon: Icon, title, children, action }: { icon?: LucideIcon; title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-3 px-6 py-12 text-center [&>*]:max-w-full">
      {Icon && <Icon aria-hidden className="size-8 text-ink-3" strokeWidth={1.5} />}
      <h2 className="text-lg font-semibold wrap-anywhere">{title}</h2>
      {children && <div className="text-ink-2">{children}</div>}
      {action}
    </div>
  );
}

export function Loading({ what = t("ui.reading") }: { what?: string }) {
  return (
    <p role="status" className="flex items-center gap-2 p-4 text-ink-3">
      <LoaderCircle aria-hidden className="spin size-4" />
      {what}
    </p>
  );
}
