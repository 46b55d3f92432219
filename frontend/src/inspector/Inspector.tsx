import { Tabs } from "radix-ui";
import { Maximize2, Workflow } from "lucide-react";
import { useCallback, useEffect, useMemo } from "react";
import { useRead } from "@/api/query";
import type { AgentInfo, AppState } from "@/api/types";
import { Bars } from "@/forms/Bars";
import { FormTab } from "@/forms/FormTab";
import { notesOf, RulesTab } from "@/forms/RulesTab";
import { Graph, neighbour } from "@/graph/Graph";
import { Legend } from "@/graph/Legend";
import { Mutations } from "@/graph/Mutations";
import { progressOf } from "@/graph/progress";
import { wordsOf } from "@/graph/words";
import { stepsOf, type Step } from "@/graph/steps";
import { Timeline } from "@/graph/Timeline";
import { useManifest } from "@/graph/useManifest";
import { useTurn } from "@/journal/store";
import type { TurnView } from "@/journal/view";
import { SessionMemory } from "@/memory/SessionMemory";
import { inspectorTabs, moreTabs, setUi, useUi, type InspectorTab } from "@/shell/ui";
import { t } from "@/text/language";
import { IconButton } from "@/ui/Button";
import { Empty, ErrorNote, Loading } from "@/ui/Notice";
import { Detail } from "./Detail";
import { Budget } from "./Budget";
import { FullGraph } from "./FullGraph";
import { StepList } from "./StepList";

const titles: Record<InspectorTab, string> = { get graph() { return t("inspector.graph"); }, get steps() { return t("inspector.steps2"); }, get memory() { return t("inspector.memory"); }, get detail() { return t("inspector.detail"); }, get form() { return t("inspector.form"); }, get rules() { return t("inspector.rules2"); } };

/** Shows one turn of a session: graph, steps, memory, detail. */
export function Inspector({ session, turn }: { session: string | null; turn: string | null }) {
  const wanted = useUi((ui) => ui.tab);
  const view = useTurn(session, turn);
  const tabs = useTabs(view);
  const tab = tabs.includes(wanted) ? wanted : "graph";
  return (
    <Tabs.Root
      data-inspector
      value={tab}
      onValueChange={(value) => setUi({ tab: value as InspectorTab })}
      className="flex h-full min-h-0 flex-col bg-surface"
    >
      <Tabs.List aria-label={t("inspector.inspector")} className="flex shrink-0 flex-wrap border-b px-2">
        {tabs.map((name, index) => (
          <Tabs.Trigger
            key={name}
            value={name}
            title={t("inspector.ctrl", { titles: titles[name], index: index + 1 })}
            className="border-b-2 border-transparent px-2.5 max-sm:px-2 py-2 text-ink-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-ink"
          >
            {titles[name]}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      {view && session ? (
        <TurnTabs key={view.id} session={session} turn={view} />
      ) : (
        tabs.map((name) => (
          <Tabs.Content key={name} value={name} className="min-h-0 flex-1 overflow-auto">
            {name === "memory" && session ? (
              <SessionMemory session={session} compact />
            ) : (
              <Empty icon={Workflow} title={t("inspector.nothingHasRunYet")}>
                {t("inspector.sendAMessageEachStepIt")}
              </Empty>
            )}
          </Tabs.Content>
        ))
      )}
    </Tabs.Root>
  );
}

function TurnTabs({ session, turn }: { session: string; turn: TurnView }) {
  const { manifest, error, refetch } = useManifest(turn);
  const interrupted = useRead<AppState>("/api/state").data?.interrupted?.some((one) => one.turn === turn.id) ?? false;
  const progress = useMemo(() => progressOf(turn, manifest?.stages, interrupted, wordsOf(manifest)), [turn, manifest, interrupted]);
  const steps = useMemo(() => (manifest ? stepsOf(manifest, progress) : []), [manifest, progress]);
  const chosen = useUi((ui) => ui.stage);
  const whole = useUi((ui) => ui.wholeGraph);
  const step = findStep(steps, chosen);
  const selected = step?.key ?? null;
  const select = useCallback((key: string) => setUi({ stage: key }), []);
  const open = useCallback((key: string) => setUi({ stage: key, tab: "detail" }), []);
  useKeys(steps, selected);

  const body = (content: React.ReactNode) =>
    error ? (
      <div className="p-3">
        <ErrorNote error={error} title={t("inspector.theGraphOfThisAgentCould")} retry={refetch} />
      </div>
    ) : manifest ? (
      content
    ) : (
      <Loading what={t("inspector.readingTheGraph")} />
    );
  // A run that changes its graph changes the fingerprint with it.
  const older = manifest && turn.fingerprint && turn.fingerprint !== manifest.fingerprint && turn.mutations.length === 0;
  return (
    <>
      {whole && manifest && (
        <FullGraph turn={turn} manifest={manifest} progress={progress} steps={steps} step={step} onSelect={(key) => setUi({ stage: key })} onClose={() => setUi({ wholeGraph: false })} />
      )}
      {older && (
        <p className="shrink-0 border-b bg-degraded-soft px-3 py-1.5 text-sm text-degraded">
          {t("inspector.thisTurnRanOnAnEarlier")}
        </p>
      )}
      <Tabs.Content value="graph" className="flex min-h-0 flex-1 flex-col overflow-auto">
        {body(
          manifest && (
            <>
              <div className="min-h-72 flex-3 shrink-0 basis-0">
                <Graph
                  manifest={manifest}
                  progress={progress}
                  steps={steps}
                  selected={selected}
                  onSelect={select}
                  onOpen={open}
                >
                  <IconButton icon={Maximize2} label={t("inspector.graphInTheWholeWindow")} keys="Ctrl Shift G" small look="plain" onClick={() => setUi({ wholeGraph: true, stage: null })} />
                </Graph>
              </div>
              <div className="shrink-0 space-y-1 border-t px-3 py-1.5 empty:hidden">
                <Budget turn={turn} manifest={manifest} />
                <Bars session={session} turn={turn} />
                <Legend manifest={manifest} />
                <Mutations mutations={turn.mutations} onSelect={select} />
              </div>
              <div className="max-h-56 min-h-24 flex-1 shrink-0 basis-0 overflow-auto border-t">
                <Timeline progress={progress} steps={steps} selected={selected} onSelect={select} />
              </div>
            </>
          ),
        )}
      </Tabs.Content>
      <Tabs.Content value="steps" className="min-h-0 flex-1 overflow-auto">
        {body(<StepList mutations={turn.mutations} steps={steps} progress={progress} selected={selected} onSelect={select} onOpen={open} />)}
      </Tabs.Content>
      <Tabs.Content value="memory" className="min-h-0 flex-1 overflow-auto">
        <SessionMemory session={session} compact />
      </Tabs.Content>
      <Tabs.Content value="form" className="min-h-0 flex-1 overflow-auto">
        <FormTab turn={turn} />
      </Tabs.Content>
      <Tabs.Content value="rules" className="min-h-0 flex-1 overflow-auto">
        <RulesTab session={session} turn={turn} />
      </Tabs.Content>
      <Tabs.Content value="detail" className="min-h-0 flex-1 overflow-auto">
        {body(<Detail turn={turn} progress={progress} step={step} manifest={manifest} />)}
      </Tabs.Content>
    </>
  );
}

/** The tabs of a turn: those of all, the form where its agent draws up forms, and what ruled it. */
function useTabs(turn: TurnView | null): readonly InspectorTab[] {
  const agents = useRead<AgentInfo[] | null>("/api/agents").data;
  const own = turn === null ? undefined : agents?.find(({ id }) => id === turn.agent);
  const draws = Boolean(own?.maps?.length || own?.records?.some(({ form }) => form));
  const ruled = turn !== null && (draws || notesOf(turn).length > 0);
  return useMemo(() => [...inspectorTabs, ...moreTabs.filter((name) => (name === "form" ? draws : ruled))], [draws, ruled]);
}

/** Other screens may choose a step by its stage, its key, or a tool's call. */
function findStep(steps: readonly Step[], chosen: string | null): Step | null {
  if (!chosen) return null;
  return steps.find(({ key }) => key === chosen) ?? steps.find(({ key }) => key.endsWith(`/${chosen}`)) ?? null;
}

/**
 * Ctrl (⌘) with [ and ] moves between steps from anywhere. Inside of the inspector
 * [ ] 1–4 and G work alone too; elsewhere a single letter must not do anything.
 */
function useKeys(steps: readonly Step[], selected: string | null) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const bracket = event.key === "[" || event.key === "]";
      // Brackets need AltGr on many keyboards.
      if (event.defaultPrevented || (!bracket && (event.altKey || event.shiftKey))) return;
      const command = event.ctrlKey || event.metaKey;
      const target = event.target as HTMLElement;
      const inside = target.closest("[data-inspector]") !== null && !/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
      if (!command && !inside) return;
      if (document.querySelector("[role=dialog]")) return;
      const tab = event.key.toLowerCase() === "g" ? "graph" : inspectorTabs[Number(event.key) - 1];
      if (tab && !command) setUi({ tab });
      else if (bracket) {
        const next = neighbour(steps, selected, event.key === "]" ? 1 : -1);
        if (next) setUi({ stage: next });
      } else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [steps, selected]);
}
