import "@xyflow/react/dist/base.css";
import { ReactFlow, ReactFlowProvider, type Viewport } from "@xyflow/react";
import { useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode, type RefObject } from "react";
import type { Manifest } from "@/api/types";
import { t } from "@/text/language";
import { told } from "@/text/told";
import { plain, toolTitle } from "@/text/names";
import { states } from "@/ui/State";
import { draw, planOf, sight, type Drawing, type Plan } from "./drawing";
import { START, type Direction } from "./geometry";
import { drawsNested, shownGraph, type Shown, type ShownLevel } from "./levels";
import { stageOf } from "./roles";
import { takenKey, type StepState, type TurnProgress } from "./progress";
import { StageBox, Terminal, type StageNode, type StageView, type TerminalNode } from "./Stage";
import { bypassed, returning, stageStep, toolsInOrder, toolStep, toolsWithin, type Step } from "./steps";
import { Way, type WayEdge } from "./Way";
import { wordsOf, type Words } from "./words";

const nodeTypes = { stage: StageBox, terminal: Terminal };
const edgeTypes = { way: Way };
const MARGIN = 12;
/** Below this the text is too small to read, so the pane scrolls instead. */
const LEAST_ZOOM = 0.72;
/** A pane this many times wider than tall is drawn left to right. */
const WIDE = 1.9;

export interface GraphProps {
  manifest: Manifest;
  progress: TurnProgress;
  selected: string | null;
  onSelect: (key: string) => void;
  /** Enter on a step: show its details. */
  onOpen: (key: string) => void;
  /** Steps in order, for the arrow keys. */
  steps: readonly Step[];
  /** What stands beside the button below the graph. */
  children?: ReactNode;
}

/** The live graph of one turn. Nothing in it can be dragged; it scrolls like any text. */
export function Graph(props: GraphProps) {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  );
}

function Canvas({ manifest, progress, selected, onSelect, onOpen, steps, children }: GraphProps) {
  const frame = useRef<HTMLDivElement>(null);
  const pane = usePaneSize(frame);
  const [whole, setWhole] = useState(false);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback((stage: string) => {
    setClosed((before) => {
      const after = new Set(before);
      if (!after.delete(stage)) after.add(stage);
      return after;
    });
  }, []);

  const direction: Direction = pane.width > pane.height * WIDE && pane.width > 900 ? "right" : "down";
  const scale = pane.rem / 16;
  const level = useMemo(() => shownGraph(manifest, progress), [manifest, progress]);
  const groups = useMemo(() => groupsOf(manifest, level, progress), [manifest, level, progress]);
  // A key of what is drawn where, so that an event that changes nothing of it does not lay out again.
  const shape = JSON.stringify(
    planOf(level, closed, (id) => (groups[id] ?? []).filter(({ tools }) => tools.length > 0).map(({ phase, tools }) => ({ phase, tools: tools.length }))),
  );
  // What was drawn stays where it is while the graph grows. Another graph, or a turned one, begins anew.
  const drawn = useRef<Drawing | null>(null);
  const placement = useMemo(() => draw(JSON.parse(shape) as Plan, direction, scale, drawn.current), [shape, direction, scale]);
  useEffect(() => {
    drawn.current = placement;
  }, [placement]);

  const within = useMemo(() => new Set(everyStage(level).filter(({ nested }) => nested).map(({ id }) => id)), [level]);
  const nodes = useNodes({
    level,
    progress,
    placement,
    groups,
    closed,
    selected,
    scale,
    onSelect,
    toggle,
  });
  const words = useMemo(() => wordsOf(manifest), [manifest]);
  const edges = useEdges(level, progress, placement, words);

  const fit = Math.min(1, (pane.width - 2 * MARGIN) / placement.width);
  const all = Math.min(fit, (pane.height - 2 * MARGIN) / placement.height);
  const zoom = pane.width === 0 ? 1 : whole ? Math.max(0.2, all) : Math.max(LEAST_ZOOM, fit);
  const size = { width: placement.width * zoom + 2 * MARGIN, height: placement.height * zoom + 2 * MARGIN };
  const viewport: Viewport = { x: Math.max(MARGIN, (pane.width - placement.width * zoom) / 2), y: MARGIN, zoom };

  useReveal(frame, progress, selected, placement, pane.width > 0 ? zoom : 0);

  const onKeyDown = (event: KeyboardEvent) => {
    const move = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (move) {
      // What a closed stage holds is passed over.
      const hidden = (key: string) => [...closed].some((id) => key.startsWith(`${id}/`) && within.has(id));
      const next = neighbour(steps.filter(({ key, kind }) => kind === "tool" || !hidden(key)), selected, move);
      if (!next) return;
      event.preventDefault();
      onSelect(next);
      focusStep(frame.current, next);
    } else if (event.key === "Enter" && selected && (event.target as HTMLElement).dataset.step) {
      event.preventDefault();
      // A stage that holds a graph opens and closes in place.
      if (within.has(selected)) toggle(selected);
      else onOpen(selected);
    }
  };

  const legend = manifest.title || plain(manifest.agent);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div
        ref={frame}
        role="group"
        aria-label={t("graph.graphOfArrowKeysMoveBetween", { legend: told(legend) })}
        className="min-h-0 flex-1 overflow-auto bg-canvas"
        onKeyDown={onKeyDown}
      >
        <div style={{ width: `max(100%, ${size.width}px)`, height: size.height }}>
          <ReactFlow
            nodes={nodes}
            edges={edges}
            nodeTypes={nodeTypes}
            edgeTypes={edgeTypes}
            viewport={viewport}
            minZoom={0.1}
            nodesDraggable={false}
            nodesConnectable={false}
            nodesFocusable={false}
            edgesFocusable={false}
            elementsSelectable={false}
            panOnDrag={false}
            zoomOnScroll={false}
            zoomOnPinch={false}
            zoomOnDoubleClick={false}
            preventScrolling={false}
            disableKeyboardA11y
            proOptions={{ hideAttribution: true }}
          />
        </div>
      </div>
      {/* Below the graph: nothing lies over a label. */}
      <div className="flex shrink-0 items-center justify-end gap-2 border-t bg-surface px-2 py-0.5">
        <button type="button" aria-pressed={whole} onClick={() => setWhole(!whole)} className="rounded-md border bg-surface px-2 py-0.5 text-xs text-accent hover:bg-hover">
          {whole ? t("graph.readableSize") : t("graph.fitTheWholeGraph")}
        </button>
        {children}
      </div>
    </div>
  );
}

/** The step `by` places further, or the first one when none is chosen. */
export function neighbour(steps: readonly Step[], selected: string | null, by: number): string | null {
  const at = steps.findIndex((step) => step.key === selected);
  if (at < 0) return steps[0]?.key ?? null;
  return steps[Math.min(steps.length - 1, Math.max(0, at + by))]!.key;
}

function focusStep(frame: HTMLElement | null, key: string) {
  requestAnimationFrame(() => {
    const target = frame?.querySelector<HTMLElement>(`[data-step="${CSS.escape(key)}"]`);
    target?.focus({ preventScroll: true });
    target?.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
}

/** States in which a stage may still begin tools. */
const live: StepState[] = ["waiting", "running", "paused"];

type Groups = Record<string, StageView["groups"]>;

/** All stages that are drawn or folded away, those inside of others after them. */
function everyStage(level: ShownLevel): Shown[] {
  return level.stages.flatMap((shown) => [shown, ...(shown.nested ? everyStage(shown.nested) : [])]);
}

/** The tools inside each stage: those of the pipeline are known from the manifest before they run. */
function groupsOf(manifest: Manifest, level: ShownLevel, progress: TurnProgress): Groups {
  const groups: Groups = {};
  const gone = bypassed(manifest, progress);
  for (const { id } of everyStage(level)) {
    const tools = drawsNested(manifest) ? toolsInOrder(progress.stages[id]) : toolsWithin(progress, id);
    const seen = progress.stages[id];
    const ended = gone.has(id) || (seen !== undefined && !live.includes(seen.state));
    const phases = id === pipelineStage(manifest, progress) ? manifest.pipeline : [];
    const planned = phases.map((names, index) => ({
      phase: index + 1,
      tools: names.map((name) => {
        const seen = tools.find((tool) => tool.tool === name && tool.phase !== undefined);
        return seen ? toolStep(seen) : plannedStep(id, name, index + 1, ended);
      }),
    }));
    const names = new Set(phases.flat());
    const others = tools.filter((tool) => tool.phase === undefined || !names.has(tool.tool)).map(toolStep);
    groups[id] = others.length ? [...planned, { phase: 0, tools: others }] : planned;
  }
  return groups;
}

/** The stage that runs the pipeline: the one whose phases the journal saw, else the one whose role it is. */
function pipelineStage(manifest: Manifest, progress: TurnProgress): string | undefined {
  if (!manifest.pipeline?.length) return undefined;
  return (
    Object.values(progress.stages).find(({ phases }) => phases.length > 0)?.id ??
    stageOf(manifest.stages, "assembly")
  );
}

/** A tool of the pipeline that the journal has not named: yet to come, or left out of a stage that ended. */
function plannedStep(stage: string, tool: string, phase: number, ended: boolean): Step {
  const state = ended ? "skipped" : "waiting";
  const word = ended ? t("graph.notRun") : states.waiting.word;
  return {
    key: `${stage}/${tool}`,
    kind: "tool",
    title: toolTitle(tool),
    stage,
    phase,
    state,
    word,
    attempts: 0,
    visits: 0,
    depth: 0,
  };
}

/** Keeps the objects of stages that did not change, so that one event draws one stage again. */
function useNodes(input: {
  level: ShownLevel;
  progress: TurnProgress;
  placement: Drawing;
  groups: Groups;
  closed: ReadonlySet<string>;
  selected: string | null;
  scale: number;
  onSelect: (key: string) => void;
  toggle: (stage: string) => void;
}): (StageNode | TerminalNode)[] {
  const cache = useRef(new Map<string, { facts: string; node: StageNode | TerminalNode }>());
  const { level, progress, placement, groups, closed, selected, scale, onSelect, toggle } = input;
  return useMemo(() => {
    const stages = new Map(everyStage(level).map((shown) => [shown.id, shown]));
    const gone = goneOf(level, progress);
    const firstStage = placement.stages.filter(({ terminal, id }) => !terminal && level.stages.some((one) => one.id === id)).sort((a, b) => a.layer - b.layer)[0]?.id;
    return placement.stages.map((placed) => {
      const { direction } = placed;
      const frame = {
        id: placed.id,
        position: { x: placed.x, y: placed.y },
        width: placed.width,
        height: placed.height,
      };
      let node: StageNode | TerminalNode;
      if (placed.terminal) {
        const starts = placed.id.endsWith("start");
        const nested = placed.id.includes("/");
        const reached = starts ? progress.start !== undefined : nested || progress.state === "completed";
        node = { ...frame, type: "terminal", data: { label: nested ? t("graph.done") : told(placed.id), reached, direction } };
      } else {
        const { stage, nested } = stages.get(placed.id)!;
        const step = stageStep(stage, placed.id, progress, gone);
        const inner = groups[placed.id] ?? [];
        const isOpen = !closed.has(placed.id) && (nested !== null || inner.some(({ tools }) => tools.length > 0));
        const own = selected === placed.id || inner.some(({ tools }) => tools.some(({ key }) => key === selected));
        // Of a stage that is folded away the one around it is marked.
        const mine = own || (!nested && selected?.startsWith(`${placed.id}/`)) || (nested && !isOpen && selected?.startsWith(`${placed.id}/`)) ? selected : null;
        // One place of the graph is reached with Tab: the chosen step, or the first.
        const stop = mine
          ? isOpen && !nested
            ? mine
            : placed.id
          : selected === null && placed.id === firstStage
            ? placed.id
            : null;
        node = {
          ...frame,
          type: "stage",
          data: {
            step,
            groups: inner,
            open: isOpen,
            nested: nested !== null,
            offers: nested?.offers ?? [],
            stop,
            selected: mine,
            direction,
            scale,
            onSelect,
            onToggle: toggle,
          },
        };
      }
      const facts = JSON.stringify(node);
      const known = cache.current.get(placed.id);
      if (known?.facts === facts) return known.node;
      cache.current.set(placed.id, { facts, node });
      return node;
    });
  }, [level, progress, placement, groups, closed, selected, scale, onSelect, toggle]);
}

/** What this turn can no longer reach, on all levels. */
const goneOf = (level: ShownLevel, progress: TurnProgress) => onLevels(level, (one) => bypassed(one, progress));

function onLevels(level: ShownLevel, find: (level: ShownLevel) => ReadonlySet<string>): Set<string> {
  const found = new Set(find(level));
  for (const { nested } of level.stages) if (nested) for (const id of onLevels(nested, find)) found.add(id);
  return found;
}

function useEdges(level: ShownLevel, progress: TurnProgress, placement: Drawing, words: Words): WayEdge[] {
  const cache = useRef(new Map<string, { facts: string; edge: WayEdge }>());
  return useMemo(() => {
    const left = new Set(Object.values(progress.taken).map(({ from }) => from));
    const gone = goneOf(level, progress);
    const round = onLevels(level, (one) => returning(one.edges, progress));
    return placement.edges.map(({ id, from, to, type, condition, match, points, label, back }) => {
      const transition = progress.taken[takenKey(from, to)];
      const way = progress.ways[takenKey(from, to)];
      const entered = from === "start" && Boolean(progress.stages[to]?.attempts.length);
      const ended = to === "end" && progress.state === "completed" && Boolean(progress.stages[from]?.attempts.length);
      const named = Boolean(transition) && fits(type, transition?.resolver) && (!condition || !transition?.condition || transition.condition === condition);
      // A journal that names no transition from a stage leaves only the plain way on.
      const implied =
        !condition &&
        plainWays.has(type) &&
        !left.has(from) &&
        Boolean(progress.stages[from]?.attempts.at(-1)?.end && progress.stages[to]?.attempts.length);
      const taken = named || implied;
      const edge: WayEdge = {
        id,
        source: from,
        target: to,
        type: "way",
        data: {
          points,
          label,
          kind: type,
          condition: condition && words.condition(condition),
          match,
          back,
          outcome: taken || entered || ended ? "taken" : (left.has(from) && !round.has(from)) || gone.has(from) ? "passed" : "open",
          resolver: named ? transition?.resolver : undefined,
          reason: named ? transition?.reason : undefined,
          choices: named ? way?.choices : undefined,
        },
      };
      const facts = JSON.stringify(edge);
      const known = cache.current.get(id);
      if (known?.facts === facts) return known.edge;
      cache.current.set(id, { facts, edge });
      return edge;
    });
  }, [level, progress, placement, words]);
}

const plainWays = new Set(["entry", "terminal_path", "parallel_branch", "join_input", "sequence", "exit"]);

/** Two ways may join the same stages; the resolver says which of them was taken. */
function fits(type: string, resolver: string | undefined): boolean {
  if (type === "error") return resolver === "error";
  if (type === "match") return resolver === "match" || resolver === undefined;
  if (type === "choice") return resolver !== "match" && resolver !== "error" && resolver !== "static";
  return true;
}

/**
 * The stage that runs or waits for a person is scrolled into view, unless the person chose a step. Of a turn that is over, the
 * start is, with the stages that ran.
 */
function useReveal(
  frame: RefObject<HTMLDivElement | null>,
  progress: TurnProgress,
  selected: string | null,
  placement: Drawing,
  zoom: number,
) {
  const newest = Object.values(progress.stages)
    .filter(({ id, state }) => (state === "running" || state === "paused") && placement.stages.some((stage) => stage.id === id))
    // The innermost: a stage runs as long as what it holds.
    .sort((a, b) => b.id.split("/").length - a.id.split("/").length || (b.attempts.at(-1)?.start ?? 0) - (a.attempts.at(-1)?.start ?? 0))[0]?.id;
  const ran = Object.values(progress.stages).filter(({ state }) => state !== "waiting" && state !== "skipped").map(({ id }) => id).join(" ");
  // The turn of which something was shown: who has scrolled since is not moved.
  const shown = useRef<string | null>(null);
  useEffect(() => {
    const pane = frame.current;
    const stage = placement.stages.find(({ id }) => id === newest);
    if (!pane || selected || zoom === 0) return;
    if (!stage) {
      const boxes = [START, ...ran.split(" ")].flatMap((id) => placement.stages.filter((one) => one.id === id));
      if (shown.current === progress.turn || boxes.length === 0) return;
      if (ran !== "") shown.current = progress.turn;
      pane.scrollTop = sight(boxes.map(({ y, height }) => ({ at: y * zoom, length: height * zoom + 2 * MARGIN })), pane.clientHeight);
      pane.scrollLeft = sight(boxes.map(({ x, width }) => ({ at: x * zoom, length: width * zoom + 2 * MARGIN })), pane.clientWidth);
      return;
    }
    shown.current = progress.turn;
    const near = (now: number, room: number, start: number, length: number) =>
      start < now || length > room ? start : Math.max(now, start + length - room);
    const at = (n: number) => n * zoom;
    pane.scrollTop = near(pane.scrollTop, pane.clientHeight, at(stage.y), at(stage.height) + 2 * MARGIN);
    pane.scrollLeft = near(pane.scrollLeft, pane.clientWidth, at(stage.x), at(stage.width) + 2 * MARGIN);
  }, [frame, newest, ran, progress.turn, selected, placement, zoom]);
}

function usePaneSize(ref: RefObject<HTMLElement | null>) {
  const [size, setSize] = useState({ width: 0, height: 0, rem: 16 });
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const read = () => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
      setSize((old) =>
        old.width === element.clientWidth && old.height === element.clientHeight && old.rem === rem
          ? old
          : { width: element.clientWidth, height: element.clientHeight, rem },
      );
    };
    const observer = new ResizeObserver(read);
    observer.observe(element);
    read();
    return () => observer.disconnect();
  }, [ref]);
  return size;
}
