import { Hand, X } from "lucide-react";
import { useEffect } from "react";
import { create } from "zustand";
import { explain } from "@/api/types";
import { t } from "@/text/language";
import { prose } from "@/text/visible";

interface Toast {
  id: number;
  text: string;
  tone: "plain" | "failed" | "held";
  /** Where to look. */
  link?: { text: string; href: string; /** Another address where it is seen. */ also?: string };
}

const useToasts = create<{ toasts: Toast[] }>(() => ({ toasts: [] }));
let next = 1;

const drop = (id: number) => useToasts.setState((state) => ({ toasts: state.toasts.filter((toast) => toast.id !== id) }));

/** Says something briefly, aloud too. Failures stay until they are closed, or taken back by what is returned. */
export function say(text: string, tone: Toast["tone"] = "plain", link?: Toast["link"]): () => void {
  const id = next++;
  useToasts.setState((state) => ({ toasts: [...state.toasts.filter((toast) => toast.text !== text), { id, text, tone, link }].slice(-4) }));
  if (tone !== "failed") setTimeout(() => drop(id), link ? 12_000 : 4000);
  return () => drop(id);
}

/** Says why a call did not work. */
export function sayError(error: unknown): () => void {
  const { message, safe, hint } = explain(error);
  return say([message, safe, hint].filter(Boolean).join(" "), "failed");
}

export function Toasts() {
  const toasts = useToasts((state) => state.toasts);
  useEffect(() => {
    // What worked on another screen, and what somebody went to look at, need no notice, which would lie over the buttons of this one.
    const went = () => useToasts.setState((state) => ({ toasts: state.toasts.filter(({ link, tone }) => (link ? location.hash !== link.href && location.hash !== link.also : tone !== "plain")) }));
    // What was only said makes way for what has the focus.
    const came = ({ target }: FocusEvent) => {
      if (!(target instanceof Element) || target.closest("[data-toasts]")) return;
      const at = target.getBoundingClientRect();
      for (const one of document.querySelectorAll<HTMLElement>("[data-toast]")) {
        const { top, bottom, left, right } = one.getBoundingClientRect();
        if (at.bottom > top && at.top < bottom && at.right > left && at.left < right && at.height < innerHeight / 2) useToasts.setState((state) => ({ toasts: state.toasts.filter(({ id, tone }) => tone !== "plain" || String(id) !== one.dataset.toast) }));
      }
    };
    window.addEventListener("hashchange", went);
    document.addEventListener("focusin", came);
    return () => {
      window.removeEventListener("hashchange", went);
      document.removeEventListener("focusin", came);
    };
  }, []);
  return (
    <div aria-live="polite" aria-relevant="additions" data-toasts className="pointer-events-none fixed right-4 bottom-10 z-50 flex w-96 max-w-[calc(100vw-2rem)] flex-col gap-2">
      {toasts.map((toast) => (
        <div
          key={toast.id}
          data-toast={toast.id}
          className={`pointer-events-auto flex items-start gap-2 rounded-md border p-3 ${{ failed: "border-failed bg-failed-soft", held: "border-held-line bg-held-soft", plain: "border-line-strong bg-raised" }[toast.tone]}`}
        >
          {toast.tone === "held" && <Hand aria-hidden className="mt-0.5 size-4 shrink-0 text-held" />}
          <p className="flex-1 wrap-anywhere">
            {prose(toast.text)}
            {toast.link && <a href={toast.link.href} onClick={() => drop(toast.id)} className="ml-2 font-medium whitespace-nowrap text-accent underline underline-offset-2">{toast.link.text}</a>}
          </p>
          <button type="button" aria-label={t("ui.closeThisMessage")} onClick={() => drop(toast.id)} className="rounded-sm p-0.5 text-ink-2 hover:bg-hover">
            <X aria-hidden className="size-4" />
          </button>
        </div>
      ))}
    </div>
  );
}
