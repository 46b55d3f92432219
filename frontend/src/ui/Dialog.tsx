import { Dialog as Radix } from "radix-ui";
import { X } from "lucide-react";
import { useRef, type ReactNode } from "react";
import { t } from "@/text/language";
import { IconButton } from "./Button";

const fields = "input:not([hidden],:disabled,[readonly]),textarea:not(:disabled,[readonly]),select:not(:disabled)";

/**
 * A modal window. Approvals never use it: they are shown in place. The focus goes to its first field that takes words or a choice,
 * and back to where it was in the end, or to `after` where that is gone by then.
 */
export function Dialog({ open, onOpenChange, title, description, children, wide, after }: {
  open: boolean;
  onOpenChange(open: boolean): void;
  title: string;
  description?: string;
  children: ReactNode;
  wide?: boolean;
  after?: () => HTMLElement | null | undefined;
}) {
  const body = useRef<HTMLDivElement>(null);
  const opener = useRef<Element | null>(null);
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-ink/40" />
        <Radix.Content
          {...(description ? {} : { "aria-describedby": undefined })}
          onOpenAutoFocus={(event) => {
            opener.current = document.activeElement;
            const first = body.current?.querySelector<HTMLElement>(fields);
            if (!first) return;
            event.preventDefault();
            first.focus();
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            const back = opener.current instanceof HTMLElement && opener.current.isConnected && opener.current !== document.body ? opener.current : null;
            (back ?? after?.() ?? document.getElementById("main"))?.focus({ preventScroll: back !== null });
          }}
          className={`fixed top-1/2 left-1/2 z-50 flex max-h-[85vh] w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 flex-col rounded-md border border-line-strong bg-raised ${wide ? "max-w-3xl" : "max-w-lg"}`}
        >
          <div className="flex items-start gap-2 border-b p-pad">
            <div className="flex-1">
              <Radix.Title className="text-lg font-semibold">{title}</Radix.Title>
              {description && <Radix.Description className="text-ink-2">{description}</Radix.Description>}
            </div>
            <Radix.Close asChild>
              <IconButton icon={X} label={t("ui.close")} small />
            </Radix.Close>
          </div>
          <div ref={body} className="min-h-0 overflow-auto p-pad">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
