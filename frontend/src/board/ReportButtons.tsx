import { Download } from "lucide-react";
import { useState } from "react";
import { language, t } from "@/text/language";
import { transport } from "@/transport";
import { readText } from "@/transport/text";
import { say, sayError } from "@/ui/toasts";
import { Button } from "@/ui/Button";

const formats = [
  { id: "md", get title() { return t("board.reportMarkdown"); }, type: "text/markdown" },
  { id: "html", get title() { return t("board.reportHtml"); }, type: "text/html" },
  { id: "bib", get title() { return t("board.sourcesBibtex"); }, type: "application/x-bibtex" },
  { id: "ris", get title() { return t("board.sourcesRis"); }, type: "application/x-research-info-systems" },
] as const;

/** Saves the report as the board is now, or what it cites. */
export function ReportButtons({ turn }: { turn: string }) {
  const [busy, setBusy] = useState("");
  const save = async (format: (typeof formats)[number]) => {
    setBusy(format.id);
    try {
      if (transport().kind === "wails") {
        const { path } = await transport().call<{ path: string }>("save_report", { turn, format: format.id, language: language() });
        if (path) say(t("board.savedAs", { path }));
        return;
      }
      const text = await readText(`/api/boards/${encodeURIComponent(turn)}/report?format=${format.id}&language=${language()}`);
      const url = URL.createObjectURL(new Blob([text], { type: `${format.type};charset=utf-8` }));
      const link = document.createElement("a");
      link.href = url;
      link.download = `report-${turn.slice(0, 8)}.${format.id}`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), 1000);
    } catch (failure) {
      sayError(failure);
    } finally {
      setBusy("");
    }
  };
  return formats.map((format) => (
    <Button key={format.id} icon={Download} disabled={busy !== ""} onClick={() => void save(format)}>{format.title}</Button>
  ));
}
