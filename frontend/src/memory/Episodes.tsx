import { useQueryClient } from "@tanstack/react-query";
import { Eraser, PencilLine } from "lucide-react";
import { useState } from "react";
import { useCall } from "@/api/query";
import type { Episode } from "@/api/types";
import { Help } from "@/conversation/Crisis";
import type { Found } from "@/conversation/danger";
import { href } from "@/shell/route";
import { fixed } from "@/text/format";
import { t } from "@/text/language";
import { told } from "@/text/told";
import { visibleText } from "@/text/visible";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { TextField } from "@/ui/Field";
import { say, sayError } from "@/ui/toasts";
import { Time } from "@/ui/Time";
import { Weak } from "./Weak";

/** What is remembered of conversations; each can be opened, corrected and forgotten. */
export function EpisodeList({ episodes }: { episodes: readonly Episode[] }) {
  return (
    <ul className="divide-y rounded-md border bg-surface">
      {episodes.map((episode) => (
        <li key={episode.id} className="p-3">
          <EpisodeCard episode={episode} />
        </li>
      ))}
    </ul>
  );
}

const writer = ({ by, by_name }: Episode) => (by === "code" ? t("memory.putTogetherByHoldpoint") : by === "person" ? t("memory.inAPersonsWords") : t("memory.writtenBy", { by: visibleText(told(by_name || by)) }));

export function EpisodeCard({ episode }: { episode: Episode }) {
  const [doing, setDoing] = useState<"correct" | "forget" | null>(null);
  const about = episode.about === "person" ? t("memory.aboutNoRecord") : t("memory.about", { about_name: visibleText(told(episode.about_name || episode.about)) });
  const title = visibleText(episode.session_title || t("memory.aConversation"));
  const close = () => setDoing(null);
  return (
    <>
      <p className="wrap-anywhere">{visibleText(episode.text)}</p>
      {episode.weak && <Weak />}
      <p className="mt-1 flex flex-wrap items-baseline gap-x-2 text-xs text-ink-2">
        {episode.similarity !== undefined && <span className="font-medium">{t("memory.similarity", { similarity: fixed(episode.similarity, 2) })}</span>}
        <a className="text-accent underline underline-offset-2 wrap-anywhere" href={href("sessions", episode.session)}>
          {title}
        </a>
        <span className="wrap-anywhere">{about}, {writer(episode)}{episode.consent && `, ${episode.consent === "full" ? t("memory.toldAgreed") : t("memory.toldNotAgreed")}`}</span>
        <Time at={episode.at} />
      </p>
      <div className="mt-1 flex flex-wrap gap-1">
        <Button small look="quiet" icon={PencilLine} aria-label={t("memory.correctWhatIsRememberedOf", { title })} onClick={() => setDoing("correct")}>
          {t("memory.correct")}
        </Button>
        <Button small look="quiet" icon={Eraser} aria-label={t("memory.forgetWhatIsRememberedOf", { title })} onClick={() => setDoing("forget")}>
          {t("memory.forget")}
        </Button>
      </div>
      {doing === "correct" && <Correct episode={episode} onClose={close} />}
      {doing === "forget" && <Forget episode={episode} onClose={close} />}
    </>
  );
}

function useChange<In, Out = unknown>(name: string, done: string, onClose: (out: Out) => void) {
  const client = useQueryClient();
  const { mutateAsync, isPending } = useCall<In, Out>(name);
  return {
    isPending,
    change: async (body: In) => {
      try {
        const out = await mutateAsync(body);
        for (const part of ["memory", "memories"]) await client.invalidateQueries({ queryKey: ["api", part] });
        say(done);
        onClose(out);
      } catch (error) {
        sayError(error);
      }
    },
  };
}

function Correct({ episode, onClose }: { episode: Episode; onClose: () => void }) {
  const [text, setText] = useState(episode.text);
  const [help, setHelp] = useState<Found | null>(null);
  const { change, isPending } = useChange<{ id: string; text: string }, { help?: Found } | null>("correct_episode", t("memory.corrected"), (out) => (out?.help ? setHelp(out.help) : onClose()));
  if (help) {
    return (
      <Dialog open onOpenChange={(open) => !open && onClose()} title={t("memory.correctWhatIsRemembered")}>
        <div className="space-y-3">
          <Help session={episode.session} found={help} note={t("conversation.whatYouWroteIsKept")} />
          <div className="flex justify-end"><Button onClick={onClose}>{t("ui.close")}</Button></div>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={t("memory.correctWhatIsRemembered")} description={t("memory.yourWordsTakeItsPlaceWhat")}>
      <div className="space-y-3">
        <TextField label={t("memory.whatIsRemembered")} rows={5} maxLength={1000} value={text} onChange={(event) => setText(event.target.value)} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t("memory.cancel")}</Button>
          <Button look="primary" disabled={isPending || text.trim() === "" || text === episode.text} onClick={() => void change({ id: episode.id, text })}>
            {t("memory.save")}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

function Forget({ episode, onClose }: { episode: Episode; onClose: () => void }) {
  const { change, isPending } = useChange<{ id: string }>("forget_episode", t("memory.forgotten"), onClose);
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={t("memory.forgetThisConversation")} description={t("memory.noLaterPromptOrSearchHas")}>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{t("memory.keep")}</Button>
        <Button look="danger" icon={Eraser} disabled={isPending} onClick={() => void change({ id: episode.id })}>
          {t("memory.forget")}
        </Button>
      </div>
    </Dialog>
  );
}
