import { BookOpen, Brain, Cpu, Database, Hand, MessagesSquare, Settings, SquareKanban, type LucideIcon } from "lucide-react";
import { useEffect } from "react";
import { t } from "@/text/language";
import { href, useRoute, type Screen } from "./route";

const items: { screen: Screen; title: string; icon: LucideIcon }[] = [
  { screen: "sessions", get title() { return t("shell.sessions"); }, icon: MessagesSquare },
  { screen: "approvals", get title() { return t("shell.approvals"); }, icon: Hand },
  { screen: "memory", get title() { return t("shell.memory"); }, icon: Brain },
  { screen: "board", get title() { return t("shell.board"); }, icon: SquareKanban },
  { screen: "library", get title() { return t("shell.library"); }, icon: BookOpen },
  { screen: "records", get title() { return t("shell.records"); }, icon: Database },
  { screen: "models", get title() { return t("shell.models"); }, icon: Cpu },
  { screen: "settings", get title() { return t("shell.settings"); }, icon: Settings },
];

/** The session that was open last, so that coming back does not lose the place. */
let lastSession = "";

/** A session that was deleted is not come back to. */
export function forgetSession(id: string): void {
  if (lastSession === id) lastSession = "";
}

export function Rail({ approvals }: { approvals: number }) {
  const route = useRoute();
  useEffect(() => {
    if (route.screen === "sessions" && route.first) lastSession = route.first;
  }, [route]);
  return (
    <nav aria-label={t("shell.screens")} className="flex w-min min-w-(--rail) shrink-0 flex-col gap-1 overflow-y-auto border-r bg-surface p-1.5 max-sm:w-12 max-sm:min-w-0">
      {items.map(({ screen, title, icon: Icon }) => {
        const current = route.screen === screen;
        const count = screen === "approvals" ? approvals : 0;
        const keep = (screen === "sessions" || screen === "memory") && lastSession !== "new" ? lastSession : "";
        return (
          <a
            key={screen}
            href={href(screen, keep)}
            aria-current={current ? "page" : undefined}
            title={title}
            className={`relative flex flex-col items-center gap-0.5 rounded-md px-0.5 py-2 text-center text-xs ${current ? "bg-accent-soft font-semibold text-accent" : "text-ink-2 hover:bg-hover hover:text-ink"}`}
          >
            <Icon aria-hidden className="size-5" />
            <span className="max-w-full wrap-break-word max-sm:sr-only">{title}</span>
            {count > 0 && (
              <span className="absolute top-0.5 right-1.5 min-w-5 rounded-full max-sm:static border border-held-line bg-held-soft px-1 text-center font-semibold text-held">{count}<span className="sr-only"> {t("shell.waiting")}</span></span>
            )}
          </a>
        );
      })}
    </nav>
  );
}
