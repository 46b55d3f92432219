import type { TurnRow } from "@/api/types";
import { useBlob } from "@/api/blob";
import { useRead } from "@/api/query";
import type { BlobRef } from "@/journal/blob";
import { utf8Length } from "@/journal/bytes";
import type { TurnView } from "@/journal/view";
import { Markdown } from "@/text/Markdown";
import { t } from "@/text/language";
import { prose } from "@/text/visible";
import { ErrorNote } from "@/ui/Notice";
import { EditMessage } from "./EditMessage";

/** What a model wrote. An event has only the beginning of a long text; the rest is read at once. */
export function Reply({ text, whole }: { text: string; whole: BlobRef | null }) {
  const { data, error, refetch } = useBlob(whole);
  return (
    <>
      <Markdown text={data ?? text} />
      {whole && data === undefined && <Rest error={error} retry={() => void refetch()} />}
    </>
  );
}

/** Texts that the event which begins a turn has cut are at least this long, in bytes. */
const CUT = 1500;

/** The row of the turn has what the event has no room for. */
function useSaid(session: string, turn: TurnView) {
  const cut = turn.input.endsWith("…") && utf8Length(turn.input) >= CUT;
  const { data, error, refetch } = useRead<TurnRow[] | null>(cut ? `/api/sessions/${encodeURIComponent(session)}/turns` : null, { staleTime: Infinity });
  const row = data?.find((one) => one.turn === turn.id);
  return { text: row?.input ?? turn.input, missing: cut && !row, error, retry: () => void refetch() };
}

/** What the person wrote, all of it. */
export function Said({ session, turn }: { session: string; turn: TurnView }) {
  const { text, missing, error, retry } = useSaid(session, turn);
  return (
    <>
      <p className="rounded-md bg-sunken px-3 py-2 whitespace-pre-wrap wrap-anywhere">{prose(text)}</p>
      {missing && <Rest error={error} retry={retry} />}
    </>
  );
}

/** The same to be worded otherwise, once all of it is there. */
export function EditWhole({ session, turn, onClose }: { session: string; turn: TurnView; onClose(): void }) {
  const { text, missing, error, retry } = useSaid(session, turn);
  return missing ? <Rest error={error} retry={retry} /> : <EditMessage turn={turn.id} text={text} onClose={onClose} />;
}

function Rest({ error, retry }: { error: Error | null; retry: () => void }) {
  if (error) return <ErrorNote error={error} title={t("conversation.theRestOfThisTextCould")} retry={retry} />;
  return <p role="status" className="text-xs text-ink-3">{t("conversation.readingTheRest")}</p>;
}
