import { ChevronDown, ChevronUp, X } from "lucide-react";
import { useCallback, useEffect, useRef, useState, type RefObject } from "react";
import { setUi, useUi } from "@/shell/ui";
import { t } from "@/text/language";
import { IconButton } from "@/ui/Button";
import { inputLook } from "@/ui/Field";
import { found } from "./found";

/** Highlights are drawn by the browser, without changing the page; where it cannot, the place is still scrolled to. */
const marks = () => (typeof CSS !== "undefined" && "highlights" in CSS ? CSS.highlights : null);

/** Finds a text in what is shown of a session, folded parts included. */
export function Find({ area }: { area: RefObject<HTMLElement | null> }) {
  const text = useUi((ui) => ui.finding) ?? "";
  const [ranges, setRanges] = useState<Range[]>([]);
  const [at, setAt] = useState(0);
  const box = useRef<HTMLInputElement>(null);

  useEffect(() => {
    box.current?.focus();
    box.current?.select();
  }, []);

  const look = useCallback(() => {
    const next = area.current && text.trim() ? found(area.current, text.trim()) : [];
    setRanges(next);
    setAt((now) => Math.min(now, Math.max(0, next.length - 1)));
  }, [area, text]);
  useEffect(() => {
    look();
    const inside = area.current;
    if (!inside) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const watch = new MutationObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(look, 200);
    });
    watch.observe(inside, { subtree: true, childList: true, characterData: true });
    return () => {
      clearTimeout(timer);
      watch.disconnect();
    };
  }, [look, area]);

  const here = ranges[at];
  useEffect(() => {
    marks()?.set("found", new Highlight(...ranges));
    return () => void marks()?.delete("found");
  }, [ranges]);
  useEffect(() => {
    if (!here) return;
    marks()?.set("found-here", new Highlight(here));
    const place = here.startContainer.parentElement;
    for (let folded = place?.closest("details:not([open])"); folded; folded = folded.parentElement?.closest("details:not([open])")) folded.setAttribute("open", "");
    place?.scrollIntoView({ block: "center" });
    return () => void marks()?.delete("found-here");
  }, [here]);

  const step = (by: number) => ranges.length > 0 && setAt((at + by + ranges.length) % ranges.length);
  const close = () => {
    setUi({ finding: null });
    area.current?.focus({ preventScroll: true });
  };
  return (
    <search
      aria-label={t("conversation.findInThisSession")}
      className="flex shrink-0 flex-wrap items-center gap-1 border-b bg-raised px-pad py-1"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        close();
      }}
    >
      <input
        ref={box}
        type="text"
        data-find
        aria-label={t("conversation.findInThisSession")}
        placeholder={t("conversation.findInThisSession")}
        value={text}
        onChange={(event) => { setUi({ finding: event.target.value }); setAt(0); }}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          step(event.shiftKey ? -1 : 1);
        }}
        className={`${inputLook} min-h-7 max-w-72 min-w-32 flex-1`}
      />
      <span role="status" className="min-w-20 text-sm text-ink-2">{text.trim() === "" ? "" : ranges.length === 0 ? t("conversation.notFound") : t("conversation.of", { at: at + 1, ranges: ranges.length })}</span>
      <IconButton small icon={ChevronUp} label={t("conversation.previous")} keys="Shift Enter" disabled={ranges.length === 0} onClick={() => step(-1)} />
      <IconButton small icon={ChevronDown} label={t("conversation.next")} keys="Enter" disabled={ranges.length === 0} onClick={() => step(1)} />
      <IconButton small icon={X} label={t("conversation.closeTheSearch")} keys="Esc" onClick={close} />
    </search>
  );
}
