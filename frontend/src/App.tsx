import { useEffect, useRef, useState } from "react";
import type { AgentInfo, AppState, Settings } from "@/api/types";
import { onAppEvent, readAllAgain, useRead } from "@/api/query";
import { Inbox } from "@/approvals/Inbox";
import { BoardScreen } from "@/board/BoardScreen";
import { ExportDialog } from "@/exporting/ExportDialog";
import { FirstRun } from "@/firstrun/FirstRun";
import { HelpDialog } from "@/help/HelpDialog";
import { LibraryScreen } from "@/library/LibraryScreen";
import { MemoryScreen } from "@/memory/MemoryScreen";
import { ModelsScreen } from "@/models/ModelsScreen";
import { Palette } from "@/palette/Palette";
import { keepRecordKinds } from "@/records/kinds";
import { RecordsScreen } from "@/records/RecordsScreen";
import { RecoveryBanner } from "@/recovery/RecoveryBanner";
import { RegionNotice } from "@/settings/Region";
import { ServerNotice } from "@/settings/ServerNotice";
import { leaveDeleted } from "@/sessions/gone";
import { SettingsScreen } from "@/settings/SettingsScreen";
import { Boundary } from "@/shell/Boundary";
import { Anew } from "@/shell/Anew";
import { Away } from "@/shell/Away";
import { Footer } from "@/shell/Footer";
import { useHeld } from "@/shell/held";
import { useSpoken } from "@/shell/useSpoken";
import { useKeepFocus } from "@/shell/keepFocus";
import { useKeys } from "@/shell/keys";
import { Rail } from "@/shell/Rail";
import { go, useRoute, type Screen } from "@/shell/route";
import { TopBar } from "@/shell/TopBar";
import { setUi, useUi } from "@/shell/ui";
import { keepLanguage, language, t } from "@/text/language";
import { keepNames } from "@/text/names";
import { keepZone } from "@/text/zone";
import { transport, type LinkState } from "@/transport";
import { ErrorNote, Loading } from "@/ui/Notice";
import { Toasts } from "@/ui/toasts";
import { Workspace } from "@/workspace/Workspace";

const titles: Record<Screen, string> = {
  get sessions() { return t("shell.sessions"); }, get approvals() { return t("shell.approvals"); }, get memory() { return t("shell.memory"); }, get board() { return t("shell.board"); }, get library() { return t("shell.library"); }, get records() { return t("shell.records"); }, get models() { return t("shell.models"); }, get settings() { return t("shell.settings"); }, get start() { return t("shell.start"); },
};

export function App() {
  const route = useRoute();
  const [link, setLink] = useState<LinkState>("connecting");
  const state = useRead<AppState>("/api/state", { refetchInterval: link === "refused" ? false : 60_000 });
  const settings = useRead<Settings>("/api/settings");
  const agents = useRead<AgentInfo[] | null>("/api/agents", { staleTime: 60_000 });
  const main = useRef<HTMLElement>(null);
  const ui = useUi();
  useKeys();
  useKeepFocus();

  useEffect(() => {
    let before = "connecting";
    return transport().app((event) => {
      if (event.kind === "session" && event.gone && event.id) leaveDeleted(event.id);
      onAppEvent(event);
    }, (link) => {
      setLink((now) => (link === "connecting" ? now : link));
      if (link === "live" && before === "lost") readAllAgain();
      if (link !== "connecting") before = link;
    });
  }, []);

  // Before anything below is drawn.
  keepZone(state.data?.zone ?? "");
  keepLanguage(settings.data?.language);
  keepNames(state.data?.names);
  keepRecordKinds(agents.data);
  // What the program says goes by the system as the screens do.
  const follows = settings.data !== undefined && !settings.data.language;
  useEffect(() => {
    if (follows) void transport().call<{ changed: boolean }>("follow_language", { language: language() }).then(({ changed }) => changed && readAllAgain(), () => undefined);
  }, [follows]);
  const theme = settings.data?.theme ?? "system";
  const density = settings.data?.density ?? "comfortable";
  useEffect(() => {
    const root = document.documentElement;
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
    root.dataset.density = density;
  }, [theme, density]);

  // Questions wait like approvals do.
  const held = useHeld();
  const asked = held?.questions?.length ?? 0;
  const approvals = (state.data?.counts.approvals ?? 0) + asked;
  useSpoken(settings.data?.language, t("shell.holdpoint", { approvals: approvals ? `(${approvals}) ` : "", titles: titles[route.screen] }));

  // A screen reader hears the new screen, unless the screen has moved the focus itself.
  const first = useRef(true);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    if (!main.current?.contains(document.activeElement)) main.current?.focus({ preventScroll: true });
  }, [route.screen]);

  // The welcome has an address of its own: choosing a model ends the first run, but the records are still to come.
  const welcome = state.data?.first_run === true && route.screen === "sessions" && !route.first;
  useEffect(() => {
    if (welcome) go("start");
  }, [welcome]);
  return (
    <div className="flex h-full flex-col">
      {/* biome-ignore lint/a11y/useValidAnchor: a link within the page, which the router would take for a screen */}
      <a href="#main" onClick={(event) => { event.preventDefault(); main.current?.focus(); }} className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:rounded-md focus:bg-raised focus:p-2">{t("shell.skipToTheScreen")}</a>
      {route.screen === "sessions" && route.first && (
        // biome-ignore lint/a11y/useValidAnchor: a link within the page, which the router would take for a screen
        <a href="#main" onClick={(event) => { event.preventDefault(); setUi({ pane: "conversation" }); setTimeout(() => (document.querySelector<HTMLElement>("[data-composer]") ?? main.current)?.focus(), 0); }} className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:rounded-md focus:bg-raised focus:p-2">{t("shell.skipToTheMessageBox")}</a>
      )}
      {link === "refused" && <Anew />}
      <Away link={link} />
      <TopBar state={state.data} />
      <RecoveryBanner />
      <ServerNotice />
      <RegionNotice />
      <div className="flex min-h-0 flex-1">
        <Rail approvals={approvals} />
        <main ref={main} id="main" tabIndex={-1} aria-label={titles[route.screen]} className="min-h-0 min-w-0 flex-1 overflow-y-auto outline-none">
          <Boundary key={`${route.screen} ${state.data?.zone} ${language()}`} what={t("shell.theScreen", { titles: titles[route.screen] })}>
            {state.error && !state.data ? (
              <div className="mx-auto max-w-lg p-6"><ErrorNote error={state.error} retry={() => void state.refetch()} /></div>
            ) : !state.data ? (
              <Loading what={t("shell.openingHoldpoint")} />
            ) : route.screen === "start" || welcome ? (
              <FirstRun state={state.data} />
            ) : (
              <ScreenOf screen={route.screen} first={route.first} second={route.second} />
            )}
          </Boundary>
        </main>
      </div>
      {/* Beside help in danger they stand here, see index.css; else they lie over the screen. */}
      <Toasts />
      <Footer state={state.data} lost={link} />
      <Palette open={ui.palette} onOpenChange={(palette) => setUi({ palette })} />
      <HelpDialog open={ui.help} onOpenChange={(help) => setUi({ help })} />
      {ui.exporting && <ExportDialog session={ui.exporting} printing={ui.printing} onClose={() => setUi({ exporting: null })} />}
    </div>
  );
}

function ScreenOf({ screen, first, second }: { screen: Screen; first: string; second: string }) {
  switch (screen) {
    case "approvals":
      return <Inbox chosen={first} />;
    case "memory":
      return <MemoryScreen session={first} />;
    case "board":
      return <BoardScreen turn={first} />;
    case "library":
      return <LibraryScreen id={first} place={second} />;
    case "records":
      return <RecordsScreen type={first} id={second} />;
    case "models":
      return <ModelsScreen />;
    case "settings":
      return <SettingsScreen section={first} one={second} />;
    default:
      return <Workspace first={first} second={second} />;
  }
}
