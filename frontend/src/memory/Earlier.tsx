import { Brain } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { useRead } from "@/api/query";
import type { Memories } from "@/api/types";
import { href } from "@/shell/route";
import { t } from "@/text/language";
import { told } from "@/text/told";
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
        <h1 className="text-xl font-semibold">{t("memory.memoryAcrossSessions")}</h1>
        {data && (
          <p className="text-sm text-ink-2">
            {data.on ? t("memory.itIsOn") : t(episodes.some(({ consent }) => consent === "full") ? "memory.itIsOffButAgreed" : "memory.itIsOff")}
            {told(data.says)} <a className="text-accent underline underline-offset-2" href={href("settings")}>{t("memory.settings")}</a>
          </p>
        )}
      </header>
      {data && <Lake lake={data.lake} />}
      {error ? (
        <ErrorNote error={error} title={t("memory.whatIsRememberedCouldNotBe")} retry={() => void refetch()} />
      ) : isPending ? (
        <Loading />
      ) : (
        <>
          <Field label={t("memory.searchWhatIsRemembered")} type="search" value={text} onChange={(event) => setText(event.target.value)} hint={data?.method && t("memory.comparedByTheClosestFirst", { method: data.method, encoder: data.encoder ? ` (${visibleText(data.encoder)})` : "" })} />
          {episodes.length > 0 ? (
            <EpisodeList episodes={episodes} />
          ) : (
            <Empty icon={Brain} title={search ? t("memory.nothingRememberedFits") : t("memory.noConversationIsRemembered")}>
              {search ? t("memory.tryOtherWords") : data?.on ? t("memory.aSummaryAppearsHereALittle") : t("memory.chooseASessionOnTheLeft")}
            </Empty>
          )}
        </>
      )}
    </div>
  );
}
