import { BookOpen, Brain, Cpu, Database, Hand, MessagesSquare, Settings, SquareKanban, type LucideIcon } from "lucide-react";
import { useEffect } from "react";
import { href, useRoute, type Screen } from "./route";

const items: { screen: Screen; title: string; icon: LucideIcon }[] = [
  { screen: "sessions", title: "Sessions", icon: MessagesSquare },
  { screen: "approvals", title: "Approvals", icon: Hand },
  { screen: "memory", title: "Memory", icon: Brain },
  { screen: "board", title: "Board", icon: SquareKanban },
  { screen: "library", title: "Library", icon: BookOpen },
  { screen: "records", title: "Records", icon: Database },
  { screen: "models", title: "Models", icon: Cpu },
  { screen: "settings", title: "Settings", icon: Settings },
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
    <nav aria-label="Screens" className="flex w-(--rail) shrink-0 flex-col gap-1 overflow-y-auto border-r bg-surface p-1.5 max-sm:w-12">
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
            className={`relative flex flex-col items-center gap-0.5 rounded-md px-1 py-2 text-xs ${current ? "bg-accent-soft font-semibold text-accent" : "text-ink-2 hover:bg-hover hover:text-ink"}`}
          >
            <Icon aria-hidden className="size-5" />
            <span className="max-sm:sr-only">{title}</span>
            {count > 0 && (
              <span className="absolute top-0.5 right-1.5 min-w-5 rounded-full border border-held-line bg-held-soft px-1 text-center font-semibold text-held">{count}<span className="sr-only"> waiting</span></span>
            )}
          </a>
        );
      })}
    </nav>
  );
}
