import { Brain, ChevronRight } from "lucide-react";
import { useState } from "react";
import { useRead } from "@/api/query";
import { ApiError, type Episode } from "@/api/types";
import { fixed } from "@/text/format";
import { t } from "@/text/language";
import { ErrorNote, Loading } from "@/ui/Notice";
import { EpisodeCard } from "./Episodes";

/** Which earlier conversations the model was told of in a turn; each is read when it is asked for. */
export function Remembered({ used }: { used: readonly { id: string; similarity: number }[] }) {
  const [open, setOpen] = useState(false);
  const once = [...new Map(used.map((one) => [one.id, one])).values()];
  if (once.length === 0) return null;
  return (
    <details className="group text-sm" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="flex w-fit cursor-pointer list-none items-center gap-1 rounded-sm text-ink-2 hover:text-ink">
        <ChevronRight aria-hidden className="size-4 group-open:rotate-90" />
        <Brain aria-hidden className="size-3.5" />
        {t("memory.memoryEarlierConversationsUsed", { once: once.length })}
      </summary>
      {open && (
        <ul className="mt-1 divide-y rounded-md border bg-surface">
          {once.map((one) => (
            <li key={one.id} className="p-3">
              <One {...one} />
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}

function One({ id, similarity }: { id: string; similarity: number }) {
  const { data, error, isPending } = useRead<Episode>(`/api/memories/${encodeURIComponent(id)}`);
  if (error instanceof ApiError && error.status === 404) return <p className="text-ink-3">{t("memory.forgottenSinceSimilarity", { similarity: fixed(similarity, 2) })}</p>;
  if (error) return <ErrorNote error={error} />;
  return isPending ? <Loading /> : <EpisodeCard episode={{ ...data, similarity }} />;
}
