import { TriangleAlert } from "lucide-react";
import { memo, useMemo } from "react";
import { t } from "@/text/language";
import { visible, visibleInLine, visibleProse } from "@/text/visible";

/** Plain text as stored, with hidden and imitating characters made visible; of whole sentences, but for what their typography needs; of one line, line breaks too. */
export const VisibleText = memo(function VisibleText({ text, prose = false, line = false }: { text: string; prose?: boolean; line?: boolean }) {
  const { pieces } = useMemo(() => (line ? visibleInLine : prose ? visibleProse : visible)(text), [text, prose, line]);
  return (
    <>
      {pieces.map((piece, index) =>
        piece.kind ? (
          <mark key={index} className="rounded-sm bg-failed-soft px-0.5 font-mono font-semibold text-failed" title={t("approvals.character", { kind: piece.kind })}>
            {piece.text}
          </mark>
        ) : (
          piece.text
        ),
      )}
    </>
  );
});

/** Says what hidden or imitating characters the texts have; nothing when there are none. */
export function TextWarnings({ texts }: { texts: string[] }) {
  const warnings = useMemo(() => [...new Set(texts.flatMap((text) => visible(text).warnings))], [texts]);
  if (!warnings.length) return null;
  return (
    <div role="alert" className="flex gap-2 rounded-md border border-failed bg-failed-soft p-2">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-failed" />
      <div>
        {warnings.map((warning) => <p key={warning}>{warning}</p>)}
        <p className="text-ink-2">{t("approvals.theyAreShownAsEscapesLike")}</p>
      </div>
    </div>
  );
}
