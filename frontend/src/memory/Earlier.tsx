import { Brain } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { useRead } from "@/api/query";
import type { Memories } from "@/api/types";
import { href } from "@/shell/route";
import { visibleText } from "@/text/visible";
import { Field } from "@/ui/Field";
import { Empty, ErrorNote, Loading } from "@/ui/Notice";
import { EpisodeList } from "./Episodes";
import { Lake } from "./Lake";

/** What is remembered of all conversations: searched, and how far it is with making more. */
export function Earlier() {
  const [text, setText] = useState("");
  const search = useDeferredValue(text.trim());
  const { data, error, isPending, refetch } = useRead<Memories>(`/api/memories${search ? `?search=${encodeURIComponent(search)}` : ""}`, { placeholderData: (before) => before });
  const episodes = data?.episodes ?? [];
  return (
    <div className="mx-auto max-w-3xl space-y-4 p-pad">
      <header className="space-y-1">
        <h1 className="text-xl font-semibold">Memory across sessions</h1>
        {data && (
          <p className="text-sm text-ink-2">
            {data.on ? "It is on. " : "It is off. "}
            {data.says} <a className="text-accent underline underline-offset-2" href={href("settings")}>Settings</a>
          </p>
        )}
      </header>
      {data && <Lake lake={data.lake} />}
      {error ? (
        <ErrorNote error={error} title="What is remembered could not be read." retry={() => void refetch()} />
      ) : isPending ? (
        <Loading />
      ) : (
        <>
          <Field label="Search what is remembered" type="search" value={text} onChange={(event) => setText(event.target.value)} hint={data?.method && `Compared by ${data.method}${data.encoder ? ` (${visibleText(data.encoder)})` : ""}, the closest first`} />
          {episodes.length > 0 ? (
            <EpisodeList episodes={episodes} />
          ) : (
            <Empty icon={Brain} title={search ? "Nothing remembered fits" : "No conversation is remembered"}>
              {search ? "Try other words." : data?.on ? "A summary appears here a little after a conversation rests." : "Choose a session on the left to see what it keeps between its own turns."}
            </Empty>
          )}
        </>
      )}
    </div>
  );
}
