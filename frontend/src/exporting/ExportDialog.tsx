import { Download, Printer } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useRead } from "@/api/query";
import { transport } from "@/transport";
import { readText } from "@/transport/text";
import type { TurnRow } from "@/api/types";
import { PlainText } from "@/inspector/Value";
import { useRoute } from "@/shell/route";
import { absoluteTime } from "@/text/format";
import { language, t } from "@/text/language";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { inputLook } from "@/ui/Field";
import { ErrorNote, Loading } from "@/ui/Notice";
import { say, sayError } from "@/ui/toasts";

const formats = [
  { id: "md", get title() { return t("exporting.markdown"); }, get what() { return t("exporting.readsWellAsPlainText"); } },
  { id: "html", get title() { return t("exporting.html"); }, get what() { return t("exporting.onePageForPrinting"); } },
  { id: "json", get title() { return t("exporting.json"); }, get what() { return t("exporting.forOtherPrograms"); } },
] as const;
type Format = (typeof formats)[number]["id"];

export interface ExportChoice {
  format: Format;
  trace: boolean;
  from: string;
  to: string;
}

/** The address of an export; inline shows it instead of saving it. */
export function exportPath(session: string, { format, trace, from, to }: ExportChoice, inline = false): string {
  const query = new URLSearchParams({ format });
  if (language() !== "en") query.set("language", language());
  if (trace) query.set("trace", "1");
  if (from) query.set("from", from);
  if (to) query.set("to", to);
  if (inline) query.set("inline", "1");
  return `/api/sessions/${encodeURIComponent(session)}/export?${query}`;
}

/** What the export may do while it is only looked at: nothing. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:";

/** The export's page with a policy of its own, so that nothing in it runs or asks the network for anything. */
export const guarded = (html: string) => `<meta http-equiv="Content-Security-Policy" content="${POLICY}">${html}`;

/** Chooses what of a session to export, shows exactly that, and saves or prints it. */
export function ExportDialog({ session, printing = false, onClose }: {
  session: string;
  /** Begins with the page for printing. */
  printing?: boolean;
  onClose(): void;
}) {
  const { data: turns } = useRead<TurnRow[] | null>(`/api/sessions/${encodeURIComponent(session)}/turns`);
  const [choice, setChoice] = useState<ExportChoice>({ format: printing ? "html" : "md", trace: false, from: "", to: "" });
  const change = (part: Partial<ExportChoice>) => setChoice((before) => ({ ...before, ...part }));
  const { text, error, again } = useExport(session, choice);
  const [busy, setBusy] = useState(false);
  // It lies over every screen, and belongs to the one that it was opened on.
  const { screen, first } = useRoute();
  const opened = useRef(`${screen} ${first}`);
  useEffect(() => {
    if (opened.current !== `${screen} ${first}`) onClose();
  }, [screen, first, onClose]);
  const frame = useRef<HTMLIFrameElement>(null);
  const rows = turns ?? [];

  const save = async () => {
    setBusy(true);
    try {
      if (transport().kind === "wails") {
        const { path } = await transport().call<{ path: string }>("save_export", { session, ...choice });
        if (path) say(t("exporting.savedAs", { path }));
      } else if (text !== null) {
        const types = { md: "text/markdown", html: "text/html", json: "application/json" };
        download(
          new Blob([text], { type: `${types[choice.format]};charset=utf-8` }),
          `holdpoint-${session.slice(0, 8)}.${choice.format}`,
        );
      }
    } catch (failure) {
      sayError(failure);
    } finally {
      setBusy(false);
    }
  };

  return (
    <Dialog
      open
      wide
      onOpenChange={(open) => !open && onClose()}
      title={t("exporting.exportThisSession")}
      description={t("exporting.itHoldsWhatWasSaidWhat")}
    >
      <div className="space-y-4">
        <fieldset>
          <legend className="mb-1 text-sm font-medium">{t("exporting.format")}</legend>
          <div className="grid gap-2 sm:grid-cols-3">
            {formats.map(({ id, title, what }) => (
              <label
                key={id}
                className={`flex cursor-pointer items-start gap-2 rounded-md border p-2 ${choice.format === id ? "border-accent bg-accent-soft" : "hover:bg-hover"}`}
              >
                <input
                  type="radio"
                  name="format"
                  className="mt-1 accent-accent"
                  checked={choice.format === id}
                  onChange={() => change({ format: id })}
                />
                <span>
                  <span className="block font-medium">{title}</span>
                  <span className="block text-xs text-ink-2">{what}</span>
                </span>
              </label>
            ))}
          </div>
        </fieldset>
        <div className="grid gap-3 sm:grid-cols-2">
          <TurnSelect
            label={t("exporting.fromTurn")}
            first={t("exporting.theFirst")}
            rows={rows}
            value={choice.from}
            onChange={(from) => change({ from })}
          />
          <TurnSelect
            label={t("exporting.toTurn")}
            first={t("exporting.theLast")}
            rows={rows}
            value={choice.to}
            onChange={(to) => change({ to })}
          />
        </div>
        <label className="flex items-start gap-2">
          <input
            type="checkbox"
            className="mt-1 accent-accent"
            checked={choice.trace || choice.format === "json"}
            disabled={choice.format === "json"}
            onChange={(event) => change({ trace: event.target.checked })}
          />
          <span>
            {t("exporting.includeTheTrace")}
            <span className="block text-xs text-ink-2">
              {choice.format === "json" ? t("exporting.jsonAlwaysHasIt") : t("exporting.stagesToolsSkipReasonsTimingAnd")}
            </span>
          </span>
        </label>
        <section aria-label={t("exporting.preview")}>
          <h3 className="mb-1 text-sm font-medium">{t("exporting.preview")}</h3>
          {error ? (
            <ErrorNote error={error} title={t("exporting.theExportCouldNotBeMade")} retry={again} />
          ) : text === null ? (
            <Loading what={t("exporting.makingTheExport")} />
          ) : choice.format === "html" ? (
            // No scripts and no origin of its own; allow-modals lets the page be printed, allow-same-origin lets this dialog ask it to.
            <iframe
              ref={frame}
              title={t("exporting.previewOfTheExport")}
              sandbox="allow-same-origin allow-modals"
              srcDoc={guarded(text)}
              className="h-80 w-full rounded-md border bg-surface"
            />
          ) : (
            <PlainText text={text} label={t("exporting.previewOfTheExport")} />
          )}
        </section>
        <div className="flex flex-wrap justify-end gap-2">
          {choice.format === "html" && (
            <Button icon={Printer} look={printing ? "primary" : "plain"} disabled={text === null} onClick={() => frame.current?.contentWindow?.print()}>
              {t("exporting.print")}
            </Button>
          )}
          <Button
            look={printing ? "plain" : "primary"}
            icon={Download}
            disabled={busy || text === null || text === ""}
            onClick={() => void save()}
          >
            {transport().kind === "wails" ? t("exporting.saveAs") : t("exporting.download")}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

/** The beginning of a message, up to a word. */
const brief = (text: string): string => (text.length > 60 ? `${text.slice(0, 60).replace(/\s+\S*$/, "")}…` : text);

function TurnSelect({
  label,
  first,
  rows,
  value,
  onChange,
}: {
  label: string;
  first: string;
  rows: readonly TurnRow[];
  value: string;
  onChange: (turn: string) => void;
}) {
  return (
    <label className="block">
      <span className="mb-1 block text-sm font-medium">{label}</span>
      <select className={inputLook} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{first}</option>
        {rows.map((row, index) => (
          <option key={row.turn} value={row.turn}>
            {index + 1}. {brief(row.input)} ({absoluteTime(row.started_at)})
          </option>
        ))}
      </select>
    </label>
  );
}

/** Reads the export as text; an answer to an earlier choice is dropped. */
function useExport(session: string, choice: ExportChoice) {
  const [state, setState] = useState<{ text: string | null; error: unknown }>({ text: null, error: null });
  const [round, setRound] = useState(0);
  const path = exportPath(session, choice, true);
  useEffect(() => {
    const stop = new AbortController();
    setState({ text: null, error: null });
    readText(path, stop.signal).then(
      (text) => !stop.signal.aborted && setState({ text, error: null }),
      (error: unknown) => !stop.signal.aborted && setState({ text: null, error }),
    );
    return () => stop.abort();
  }, [path, round]);
  return { ...state, again: () => setRound((n) => n + 1) };
}

function download(blob: Blob, name: string) {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
