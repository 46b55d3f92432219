import { keyName } from "@/text/keyName";
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
import type { AgentInfo, ApprovalList, AppState, PatientPage, RecordRow, Session, Settings } from "@/api/types";
import { choose } from "@/conversation/agents";
import { newSession } from "@/subject/newSession";
import { subjectTitle, subjectTypes, typeName } from "@/subject/subject";
import { go, useRoute, type Screen } from "@/shell/route";
import { setUi } from "@/shell/ui";
import { t } from "@/text/language";
import { plain } from "@/text/plain";
import { prose, visibleName, visibleText } from "@/text/visible";
import { say, sayError } from "@/ui/toasts";
import { told, toldDetails } from "@/text/told";

const screens: { id: Screen; title: string; icon: LucideIcon; words: string }[] = [
  { id: "sessions", get title() { return t("palette.sessions"); }, icon: MessageSquare, get words() { return t("palette.conversationChatWorkspace"); } },
  { id: "approvals", get title() { return t("palette.approvals"); }, icon: Hand, get words() { return t("palette.inboxHeldPending"); } },
  { id: "memory", get title() { return t("palette.memory"); }, icon: Brain, get words() { return t("palette.sectionsForget"); } },
  { id: "board", get title() { return t("palette.board"); }, icon: SquareKanban, get words() { return t("palette.researchHypothesesEvidence"); } },
  { id: "library", get title() { return t("palette.library"); }, icon: BookOpen, get words() { return t("palette.documentsPapersPdfImportSearch"); } },
  { id: "records", get title() { return t("palette.records"); }, icon: Database, get words() { return t("palette.patientsImportClinicFhir"); } },
  { id: "models", get title() { return t("palette.models"); }, icon: Cpu, get words() { return t("palette.ollamaPullGgufServer"); } },
  { id: "settings", get title() { return t("palette.settings"); }, icon: SettingsIcon, get words() { return t("palette.regionThresholdReviewerDensity"); } },
];

const themes = { system: "light", light: "dark", dark: "system" } as const;
const themeWords = { get system() { return t("palette.asTheSystem"); }, get light() { return t("palette.light"); }, get dark() { return t("palette.dark"); } };

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
          <Dialog.Title className="sr-only">{t("palette.commands")}</Dialog.Title>
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
  const pending = useRead<ApprovalList>("/api/approvals?status=pending&limit=1").data?.approvals ?? [];
  const found =
    useRead<{ sessions: Session[] | null }>(
      wanted.length > 1 ? `/api/sessions?limit=8&search=${encodeURIComponent(wanted)}` : null,
    ).data?.sessions ?? [];
  const people = useRead<PatientPage>(wanted.length > 1 ? `/api/patients?limit=8&search=${encodeURIComponent(wanted)}` : null).data;
  const patients = people?.patients ?? [];
  const named = useRead<{ records: RecordRow[] | null; more: boolean }>(wanted.length > 1 ? `/api/titles?limit=8&search=${encodeURIComponent(wanted)}` : null).data;
  const records = named?.records ?? [];
  const agents = useRead<AgentInfo[] | null>("/api/agents").data ?? [];
  const answerers = agents
    .filter(({ error }) => !error)
    .flatMap(({ id, title, patterns }) =>
      patterns?.length
        ? patterns.map((one) => ({ agent: id, pattern: one.id, title: t("text.named", { name: told(visibleText(title)), what: told(visibleText(one.title)) }), words: told(one.description) }))
        : [{ agent: id, pattern: "", title: told(visibleText(title)), words: "" }],
    );
  const about = records.filter(({ type }) => agents.some((agent) => !agent.error && subjectTypes(agent).includes(type)));
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
    <Command label={t("palette.commands")} loop filter={fits} className="flex max-h-[70vh] flex-col">
      <Command.Input
        autoFocus
        value={search}
        onValueChange={setSearch}
        placeholder={t("palette.typeWhatYouWantToDo")}
        className="w-full shrink-0 border-b bg-raised px-4 py-3 text-lg outline-none"
      />
      <Command.List ref={setList} className="min-h-0 flex-1 overflow-auto p-2">
        <Command.Empty className="p-4 text-center text-ink-3">{t("palette.nothingHereIsCalled", { search })}</Command.Empty>
        <Group heading={t("palette.do")}>
          <Item icon={MessageSquarePlus} keys="Ctrl N" words={t("palette.startConversation")} onSelect={run(() => newSession())}>
            {t("palette.newSession")}
          </Item>
          {pending.length > 0 && (
            <Item
              icon={Hand}
              keys="Ctrl Shift A"
              words={t("palette.approveRejectHoldPoint")}
              onSelect={run(() => go("approvals", pending[0]!.id))}
            >
              {t("palette.nextApproval", { title: prose(told(pending[0]!.title)) })}
            </Item>
          )}
          {session && (
            <Item
              icon={FileDown}
              keys="Ctrl Shift E"
              words={t("palette.downloadPrintMarkdownHtmlJson")}
              onSelect={run(() => setUi({ exporting: session, printing: false }))}
            >
              {t("palette.exportThisSession")}
            </Item>
          )}
          {session && session !== "new" && (
            <Item icon={Printer} keys="Ctrl P" words={t("palette.paperPdf")} onSelect={run(() => setUi({ exporting: session, printing: true }))}>
              {t("palette.printThisSession")}
            </Item>
          )}
          {session && session !== "new" && route.screen === "sessions" && (
            <Item icon={Search} keys="Ctrl F" words={t("palette.searchLook")} onSelect={run(() => setUi({ pane: "conversation", finding: "" }))}>
              {t("palette.findInThisSession")}
            </Item>
          )}
          {state && (
            <Item
              icon={GraduationCap}
              words={t("palette.scriptedModelTraining")}
              onSelect={run(() =>
                practice.mutate(
                  { on: !state.practice },
                  { onError: sayError, onSuccess: () => say(state.practice ? t("palette.practiceModeIsOff") : t("palette.practiceModeIsOn")) },
                ),
              )}
            >
              {state.practice ? t("palette.turnPracticeModeOff") : t("palette.turnPracticeModeOn")}
            </Item>
          )}
          <Item
            icon={SunMoon}
            words={t("palette.darkLightThemeAppearance")}
            onSelect={run(() =>
              setting.mutate(
                { key: "theme", value: themes[theme] },
                { onError: sayError, onSuccess: () => say(t("palette.colours", { themeWords: themeWords[themes[theme]] })) },
              ),
            )}
          >
            {t("palette.colours2", { themeWords: themeWords[theme], themeWords2: themeWords[themes[theme]] })}
          </Item>
          <Item icon={CircleHelp} keys="F1" words={t("palette.keysShortcutsManual")} onSelect={run(() => setUi({ help: true }))}>
            {t("palette.help")}
          </Item>
        </Group>
        <Group heading={t("palette.goTo")}>
          {screens.map(({ id, title, icon, words }) => (
            <Item key={id} icon={icon} words={words} onSelect={run(() => go(id))}>
              {title}
            </Item>
          ))}
          <Item icon={Workflow} words={t("palette.settingsAgentsYamlOwnDefinition")} onSelect={run(() => go("settings", "agents"))}>
            {t("palette.graphsOfYourOwn")}
          </Item>
          <Item icon={Scale} words={t("palette.settingsRulesHoldRefuseAskWarn")} onSelect={run(() => go("settings", "rules"))}>
            {t("palette.rules")}
          </Item>
          <Item icon={GraduationCap} words={t("palette.settingsSkillsLoadBlocksDigest")} onSelect={run(() => go("settings", "skills"))}>
            {t("palette.skills")}
          </Item>
          <Item icon={Plug} words={t("palette.settingsServersMcpTrustOutside")} onSelect={run(() => go("settings", "servers"))}>
            {t("palette.toolsFromOutside")}
          </Item>
        </Group>
        {answerers.length > 1 && (
          <Group heading={t("palette.answeredBy")}>
            {answerers.map(({ agent, pattern, title, words }) => (
              <Item
                key={`${agent}/${pattern}`}
                icon={Bot}
                value={`agent ${agent} ${pattern}`}
                words={t("palette.agentPattern", { title, words })}
                onSelect={run(() => {
                  const here = route.screen === "sessions" && route.first !== "new" ? route.first : "";
                  choose(here, { agent, pattern });
                  if (!here && route.first !== "new") newSession();
                  say(t("palette.theNextMessageGoesTo", { title }));
                  document.querySelector<HTMLTextAreaElement>("[data-composer]")?.focus();
                })}
              >
                {title}
              </Item>
            ))}
          </Group>
        )}
        {found.length > 0 && (
          <Group heading={t("palette.sessions")}>
            {found.map((one) => (
              <Item
                key={one.id}
                icon={MessageSquare}
                value={`session ${one.id}`}
                words={wanted}
                onSelect={run(() => go("sessions", one.id))}
              >
                {visibleText(one.title || t("palette.untitled"))}
                {subjectTitle(one) && <span className="ml-2 text-ink-3">{subjectTitle(one)}</span>}
              </Item>
            ))}
          </Group>
        )}
        {patients.length > 0 && (
          <Group heading={t("palette.charts")}>
            {patients.map((one) => (
              <Item key={one.id} icon={ClipboardList} value={`chart ${one.id}`} words={wanted} onSelect={run(() => go("records", "Patient", one.id))}>
                {visibleName(one.name)}
                <span className="ml-2 text-ink-3">
                  {[one.birth_date, one.gender && told(one.gender), one.deceased && t("shell.deceased")].filter(Boolean).join(" · ")}
                </span>
              </Item>
            ))}
            {people!.total > patients.length && (
              <p className="px-2 py-1 text-xs text-ink-2">{t("palette.moreHaveThisInTheirName", { total: (people!.total - patients.length) })}</p>
            )}
          </Group>
        )}
        {records.length > 0 && (
          <Group heading={t("palette.records")}>
            {records.map((one) => (
              <Item key={`${one.type}/${one.id}`} icon={Database} value={`record ${one.type}/${one.id}`} words={wanted} onSelect={run(() => go("records", one.type, one.id))}>
                {visibleName(one.title || one.id)}
                <span className="ml-2 text-ink-3">{[visibleName(typeName(one.type)), visibleName(toldDetails(one.subtitle))].filter(Boolean).join(" · ")}</span>
              </Item>
            ))}
            {named!.more && <p className="px-2 py-1 text-xs text-ink-2">{t("palette.moreMayHaveThisInTheirTitle")}</p>}
          </Group>
        )}
        {patients.length + about.length > 0 && (
          <Group heading={t("palette.newSessionAbout")}>
            {patients.map((one) => (
              <Item
                key={one.id}
                icon={UserRound}
                value={`patient ${one.id}`}
                words={wanted}
                onSelect={run(() => newSession({ type: "Patient", id: one.id }))}
              >
                {visibleName(one.name)}
                <span className="ml-2 text-ink-3">
                  {[one.birth_date, one.gender && told(one.gender), one.deceased && t("shell.deceased")].filter(Boolean).join(" · ")}
                </span>
              </Item>
            ))}
            {about.map((one) => (
              <Item key={`${one.type}/${one.id}`} icon={MessageSquarePlus} value={`about ${one.type}/${one.id}`} words={wanted} onSelect={run(() => newSession({ type: one.type, id: one.id }))}>
                {visibleName(one.title || one.id)}
                <span className="ml-2 text-ink-3">{visibleName(typeName(one.type))}</span>
              </Item>
            ))}
          </Group>
        )}
      </Command.List>
    </Command>
  );
}

/**
 * How well an item fits what was typed: its own title first, then what a search for just this found, then what has all of the words
 * in its title or its further words. Letters that are only somewhere in it are no reason to show it before a patient of that name.
 */
export function fits(value: string, search: string, words: string[] = []): number {
  const wanted = plain(search);
  if (plain(value).startsWith(wanted)) return 1;
  if (words.some((one) => plain(one) === wanted)) return 0.9;
  const split = (text: string): string[] => text.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const there = split([value, ...words].map(plain).join(" "));
  const asked = split(wanted);
  return asked.length > 0 && asked.every((one) => there.some((word) => word.startsWith(one))) ? 0.5 : 0;
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
      {keys && <kbd className="shrink-0 text-xs text-ink-3">{keyName(keys)}</kbd>}
    </Command.Item>
  );
}
