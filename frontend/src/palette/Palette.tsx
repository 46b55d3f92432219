import { Command } from "cmdk";
import { BookOpen,
  Bot,
  Brain,
  CircleHelp,
  ClipboardList,
  Cpu,
  Database,
  FileDown,
  GraduationCap,
  Hand,
  MessageSquare,
  MessageSquarePlus,
  Plug,
  Printer,
  Scale,
  Search,
  Settings as SettingsIcon,
  SquareKanban,
  SunMoon,
  UserRound,
  Workflow,
  type LucideIcon,
} from "lucide-react";
import { Dialog } from "radix-ui";
import { useDeferredValue, useEffect, useState, type ReactNode } from "react";
import { useCall, useRead } from "@/api/query";
import type { AgentInfo, ApprovalList, AppState, PatientPage, Session, Settings } from "@/api/types";
import { choose } from "@/conversation/agents";
import { newSession } from "@/subject/newSession";
import { subjectTitle } from "@/subject/subject";
import { go, useRoute, type Screen } from "@/shell/route";
import { setUi } from "@/shell/ui";
import { visibleText } from "@/text/visible";
import { say, sayError } from "@/ui/toasts";

const screens: { id: Screen; title: string; icon: LucideIcon; words: string }[] = [
  { id: "sessions", title: "Sessions", icon: MessageSquare, words: "conversation chat workspace" },
  { id: "approvals", title: "Approvals", icon: Hand, words: "inbox held pending" },
  { id: "memory", title: "Memory", icon: Brain, words: "sections forget" },
  { id: "board", title: "Board", icon: SquareKanban, words: "research hypotheses evidence conflicts study report" },
  { id: "library", title: "Library", icon: BookOpen, words: "documents papers pdf import search passages" },
  { id: "records", title: "Records", icon: Database, words: "patients import clinic fhir" },
  { id: "models", title: "Models", icon: Cpu, words: "ollama pull gguf server" },
  { id: "settings", title: "Settings", icon: SettingsIcon, words: "region threshold reviewer density network" },
];

const themes = { system: "light", light: "dark", dark: "system" } as const;
const themeWords = { system: "as the system", light: "light", dark: "dark" };

/** Everything that can be done, found by typing. */
export function Palette({ open, onOpenChange }: { open: boolean; onOpenChange(open: boolean): void }) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-ink/40" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-[12vh] left-1/2 z-50 w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 overflow-hidden rounded-md border border-line-strong bg-raised"
        >
          <Dialog.Title className="sr-only">Commands</Dialog.Title>
          <Commands close={() => onOpenChange(false)} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Commands({ close }: { close: () => void }) {
  const [search, setSearch] = useState("");
  const wanted = useDeferredValue(search.trim());
  const route = useRoute();
  const state = useRead<AppState>("/api/state").data;
  const settings = useRead<Settings>("/api/settings").data;
  const pending = useRead<ApprovalList>("/api/approvals?status=pending").data?.approvals ?? [];
  const found =
    useRead<{ sessions: Session[] | null }>(
      wanted.length > 1 ? `/api/sessions?limit=8&search=${encodeURIComponent(wanted)}` : null,
    ).data?.sessions ?? [];
  const people = useRead<PatientPage>(wanted.length > 1 ? `/api/patients?limit=8&search=${encodeURIComponent(wanted)}` : null).data;
  const patients = people?.patients ?? [];
  const agents = useRead<AgentInfo[] | null>("/api/agents").data ?? [];
  const answerers = agents
    .filter(({ error }) => !error)
    .flatMap(({ id, title, patterns }) =>
      patterns?.length
        ? patterns.map((one) => ({ agent: id, pattern: one.id, title: `${title}: ${one.title}`, words: one.description }))
        : [{ agent: id, pattern: "", title, words: "" }],
    );
  const practice = useCall<{ on: boolean }>("set_practice");
  const setting = useCall<{ key: string; value: string }>("set_setting");
  const [list, setList] = useState<HTMLDivElement | null>(null);
  useEffect(() => {
    // Newer engines return a promise here, which must not become the effect's clean-up.
    list?.scrollTo({ top: 0 });
  }, [list, search]);

  const run = (action: () => void) => () => {
    close();
    // After the dialog gave the focus back, so that the action may take it.
    requestAnimationFrame(action);
  };
  const session = route.screen === "sessions" || route.screen === "memory" ? route.first : "";
  const theme = settings?.theme ?? "system";
  return (
    <Command label="Commands" loop className="flex max-h-[70vh] flex-col">
      <Command.Input
        autoFocus
        value={search}
        onValueChange={setSearch}
        placeholder="Type what you want to do, a session or who it is about"
        className="w-full shrink-0 border-b bg-raised px-4 py-3 text-lg outline-none"
      />
      <Command.List ref={setList} className="min-h-0 flex-1 overflow-auto p-2">
        <Command.Empty className="p-4 text-center text-ink-3">Nothing here is called “{search}”.</Command.Empty>
        <Group heading="Do">
          <Item icon={MessageSquarePlus} keys="Ctrl N" words="start conversation" onSelect={run(() => newSession())}>
            New session
          </Item>
          {pending.length > 0 && (
            <Item
              icon={Hand}
              keys="Ctrl Shift A"
              words="approve reject hold point"
              onSelect={run(() => go("approvals", pending[0]!.id))}
            >
              Next approval: {visibleText(pending[0]!.title)}
            </Item>
          )}
          {session && (
            <Item
              icon={FileDown}
              keys="Ctrl Shift E"
              words="download print markdown html json"
              onSelect={run(() => setUi({ exporting: session, printing: false }))}
            >
              Export this session
            </Item>
          )}
          {session && session !== "new" && (
            <Item icon={Printer} keys="Ctrl P" words="paper pdf" onSelect={run(() => setUi({ exporting: session, printing: true }))}>
              Print this session
            </Item>
          )}
          {session && session !== "new" && route.screen === "sessions" && (
            <Item icon={Search} keys="Ctrl F" words="search look" onSelect={run(() => setUi({ pane: "conversation", finding: "" }))}>
              Find in this session
            </Item>
          )}
          {state && (
            <Item
              icon={GraduationCap}
              words="scripted model training"
              onSelect={run(() =>
                practice.mutate(
                  { on: !state.practice },
                  { onError: sayError, onSuccess: () => say(`Practice mode is ${state.practice ? "off" : "on"}.`) },
                ),
              )}
            >
              Turn practice mode {state.practice ? "off" : "on"}
            </Item>
          )}
          <Item
            icon={SunMoon}
            words="dark light theme appearance"
            onSelect={run(() =>
              setting.mutate(
                { key: "theme", value: themes[theme] },
                { onError: sayError, onSuccess: () => say(`Colours: ${themeWords[themes[theme]]}.`) },
              ),
            )}
          >
            Colours: {themeWords[theme]} → {themeWords[themes[theme]]}
          </Item>
          <Item icon={CircleHelp} keys="F1" words="keys shortcuts manual" onSelect={run(() => setUi({ help: true }))}>
            Help
          </Item>
        </Group>
        <Group heading="Go to">
          {screens.map(({ id, title, icon, words }) => (
            <Item key={id} icon={icon} words={words} onSelect={run(() => go(id))}>
              {title}
            </Item>
          ))}
          <Item icon={Workflow} words="settings agents yaml own definition schema" onSelect={run(() => go("settings", "agents"))}>
            Graphs of your own
          </Item>
          <Item icon={Scale} words="settings rules hold refuse ask warn approval" onSelect={run(() => go("settings", "rules"))}>
            Rules
          </Item>
          <Item icon={GraduationCap} words="settings skills load blocks digest" onSelect={run(() => go("settings", "skills"))}>
            Skills
          </Item>
          <Item icon={Plug} words="settings servers mcp trust outside" onSelect={run(() => go("settings", "servers"))}>
            Tools from outside
          </Item>
        </Group>
        {answerers.length > 1 && (
          <Group heading="Answered by">
            {answerers.map(({ agent, pattern, title, words }) => (
              <Item
                key={`${agent}/${pattern}`}
                icon={Bot}
                value={`agent ${agent} ${pattern}`}
                words={`${title} agent pattern ${words}`}
                onSelect={run(() => {
                  const here = route.screen === "sessions" && route.first !== "new" ? route.first : "";
                  choose(here, { agent, pattern });
                  if (!here && route.first !== "new") newSession();
                  say(`The next message goes to ${visibleText(title)}.`);
                  document.querySelector<HTMLTextAreaElement>("[data-composer]")?.focus();
                })}
              >
                {visibleText(title)}
              </Item>
            ))}
          </Group>
        )}
        {found.length > 0 && (
          <Group heading="Sessions">
            {found.map((one) => (
              <Item
                key={one.id}
                icon={MessageSquare}
                value={`session ${one.id}`}
                words={wanted}
                onSelect={run(() => go("sessions", one.id))}
              >
                {visibleText(one.title || "Untitled")}
                {subjectTitle(one) && <span className="ml-2 text-ink-3">{subjectTitle(one)}</span>}
              </Item>
            ))}
          </Group>
        )}
        {patients.length > 0 && (
          <Group heading="Charts">
            {patients.map((one) => (
              <Item key={one.id} icon={ClipboardList} value={`chart ${one.id}`} words={wanted} onSelect={run(() => go("records", "Patient", one.id))}>
                {visibleText(one.name)}
                <span className="ml-2 text-ink-3">
                  {one.birth_date} · {one.gender}
                </span>
              </Item>
            ))}
            {people!.total > patients.length && (
              <p className="px-2 py-1 text-xs text-ink-2">{(people!.total - patients.length).toLocaleString("en")} more have this in their name: type more of it.</p>
            )}
          </Group>
        )}
        {patients.length > 0 && (
          <Group heading="New session about">
            {patients.map((one) => (
              <Item
                key={one.id}
                icon={UserRound}
                value={`patient ${one.id}`}
                words={wanted}
                onSelect={run(() => newSession({ type: "Patient", id: one.id }))}
              >
                {visibleText(one.name)}
                <span className="ml-2 text-ink-3">
                  {one.birth_date} · {one.gender}
                </span>
              </Item>
            ))}
          </Group>
        )}
      </Command.List>
    </Command>
  );
}

function Group({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <Command.Group
      heading={heading}
      className="**:[[cmdk-group-heading]]:px-2 **:[[cmdk-group-heading]]:pt-2 **:[[cmdk-group-heading]]:text-xs **:[[cmdk-group-heading]]:text-ink-3"
    >
      {children}
    </Command.Group>
  );
}

/** `words` are found too; a result of a search is always found by what was searched. */
function Item({
  icon: Icon,
  keys,
  words,
  value,
  onSelect,
  children,
}: {
  icon: LucideIcon;
  keys?: string;
  words: string;
  value?: string;
  onSelect: () => void;
  children: ReactNode;
}) {
  return (
    <Command.Item
      value={value}
      keywords={[words]}
      onSelect={onSelect}
      className="flex min-h-row cursor-pointer items-center gap-2.5 rounded-md px-2 data-[selected=true]:bg-accent-soft"
    >
      <Icon aria-hidden className="size-4 shrink-0 text-ink-2" />
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {keys && <kbd className="shrink-0 text-xs text-ink-3">{keys}</kbd>}
    </Command.Item>
  );
}
