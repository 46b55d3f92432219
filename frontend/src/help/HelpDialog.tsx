import type { HelpTopic } from "@/api/types";
import { useRead } from "@/api/query";
import { keyHelp } from "@/shell/keys";
import { keyName } from "@/text/keyName";
import { Markdown } from "@/text/Markdown";
import { language, t } from "@/text/language";
import { Dialog } from "@/ui/Dialog";

/** The keys, and what the Go side has to say about each screen. */
export function HelpDialog({ open, onOpenChange }: { open: boolean; onOpenChange(open: boolean): void }) {
  const topics = useRead<HelpTopic[] | null>(open ? `/api/help?language=${language()}` : null, { staleTime: Infinity });
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t("help.help")} wide>
      <section>
        <h3 className="mb-2 font-semibold">{t("help.keys")} <span className="font-normal text-ink-3">{t("help.insteadOfCtrlOnAMac")}</span></h3>
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
          {keyHelp().map(([keys, what]) => (
            <div key={keys} className="contents">
              <dt><kbd className="rounded-sm border bg-sunken px-1.5 text-xs">{keyName(keys)}</kbd></dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </section>
      {(topics.data ?? []).map((topic) => (
        <section key={topic.id} className="mt-6">
          <h3 className="mb-1 font-semibold">{topic.title}</h3>
          {topic.language !== language() && <p className="text-sm text-ink-2">{t("help.inEnglishOnly")}</p>}
          <div lang={topic.language}><Markdown text={topic.markdown} /></div>
        </section>
      ))}
    </Dialog>
  );
}
