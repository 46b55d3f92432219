import { GitBranch } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { go } from "@/shell/route";
import { setUi } from "@/shell/ui";
import { t } from "@/text/language";
import { transport } from "@/transport";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/Field";
import { Unsent, useNumbers } from "./Unsent";

/** Another wording of a message: it is asked in a session of its own, and nothing here is changed. */
export function EditMessage({ turn, text: before, onClose }: { turn: string; text: string; onClose(): void }) {
  const [text, setText] = useState(before);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  const numbers = useNumbers("", "");
  useEffect(() => box.current?.focus(), []);
  const ask = async () => {
    if (!text.trim() || busy) return;
    setBusy(true);
    setFailure(null);
    try {
      const { session } = await transport().call<{ session: string }>("send", { branch: turn, text: text.trim() });
      onClose();
      setUi({ turn: null, stage: null, seq: null });
      go("sessions", session);
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };
  return (
    <form
      aria-label={t("conversation.editAndBranch")}
      className="space-y-2 rounded-md border border-accent bg-surface p-3"
      onSubmit={(event) => { event.preventDefault(); void ask(); }}
      onKeyDown={(event) => {
        if (event.key === "Escape") { event.preventDefault(); event.stopPropagation(); onClose(); }
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); void ask(); }
      }}
    >
      <TextField ref={box} label={t("conversation.askThisInstead")} rows={Math.min(10, text.split("\n").length + 1)} value={text} onChange={(event) => setText(event.target.value)} hint={t("conversation.itIsAskedInANew")} />
      {failure !== null && <Unsent error={failure} title={t("conversation.itWasNotAskedYourText")} numbers={numbers} to="" />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" small look="primary" icon={GitBranch} keys="Ctrl Enter" disabled={busy || !text.trim()}>{t("conversation.askInANewSession")}</Button>
        <Button small look="quiet" keys="Esc" onClick={onClose}>{t("conversation.cancel")}</Button>
      </div>
    </form>
  );
}
