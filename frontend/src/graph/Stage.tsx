import { Handle, Position, type Node, type NodeProps } from "@xyflow/react";
import { ChevronDown, ChevronRight, CirclePlus } from "lucide-react";
import { memo } from "react";
import { duration } from "@/text/format";
import { t } from "@/text/language";
import { withNames } from "@/text/names";
import { visibleText } from "@/text/visible";
import { FlagIcons } from "./Flags";
import { STAGE_SIZE, type Direction, type Size } from "./geometry";
import { State } from "@/ui/State";
import { boxes, StateIcon, textOf } from "./state";
import { againText, spoken, type Step } from "./steps";

/** What one stage's box shows; a new object only when something in it changed. */
export interface StageView extends Record<string, unknown> {
  step: Step;
  /** Tools by phase; phase 0 holds the calls of the agent itself. */
  groups: { phase: number; tools: Step[] }[];
  open: boolean;
  /** It holds a graph, drawn inside of it while it is open. */
  nested: boolean;
  /** What a model can still choose inside: titles. */
  offers: readonly string[];
  selected: string | null;
  /** Key of the step that Tab reaches; null when it is in another stage. */
  stop: string | null;
  direction: Direction;
  scale: number;
  onSelect: (key: string) => void;
  onToggle: (stage: string) => void;
}

export type StageNode = Node<StageView, "stage">;
export type TerminalNode = Node<{ label: string; reached: boolean; direction: Direction }, "terminal">;

const HEAD = 52;
const PHASE = 22;
const TOOL = 40;
const FOOT = 6;
const ADDED = 24;
const OFFER_LINE = 16;

/** The size of an opened stage, known before it is drawn. */
export function openSize(groups: readonly { phase: number; tools: number }[], scale: number, added?: boolean): Size {
  const rows = groups.reduce((sum, { phase, tools }) => sum + (phase ? PHASE : 0) + tools * TOOL, 0);
  return { width: 248 * scale, height: (HEAD + (added ? ADDED : 0) + rows + FOOT) * scale };
}

/** The size of a stage's head, and of a stage that is not open. */
export const boxSize = (added: boolean | undefined, scale: number): Size => ({
  width: STAGE_SIZE.width * scale,
  height: (HEAD + (added ? ADDED : 0)) * scale,
});

const offersText = (offers: readonly string[]) => t("graph.canChoose", { offers: offers.join(", ") });

/** Room for the offers in a box of this width, at scale 1; guessed generously, and clipped beyond. */
export const offersHeight = (offers: readonly string[], width: number) =>
  offers.length === 0 ? 0 : Math.min(4, Math.ceil((offersText(offers).length * 6.4) / (width - 16))) * OFFER_LINE + 6;

const hidden = { opacity: 0, pointerEvents: "none" as const };

function Ends({ direction }: { direction: Direction }) {
  const down = direction === "down";
  return (
    <>
      <Handle type="target" position={down ? Position.Top : Position.Left} isConnectable={false} style={hidden} />
      <Handle type="source" position={down ? Position.Bottom : Position.Right} isConnectable={false} style={hidden} />
    </>
  );
}

export const StageBox = memo(function StageBox({ data }: NodeProps<StageNode>) {
  const { step, groups, open, nested, offers, selected, stop, direction, onSelect, onToggle } = data;
  const inside = nested || groups.some(({ tools }) => tools.length > 0);
  const holds = nested && open;
  return (
    <div
      className={`pointer-events-auto flex h-full w-full flex-col overflow-hidden rounded-md border text-sm ${holds ? "" : "bg-surface"} ${boxes[step.state].line}`}
    >
      {/* What an opened stage holds is drawn over it, its ways under it: its ground stays open. */}
      <div className={`flex shrink-0 items-stretch ${boxes[step.state].ground}`} style={{ height: `${HEAD / 16}rem` }}>
        <button
          type="button"
          data-step={step.key}
          tabIndex={stop === step.key ? 0 : -1}
          aria-current={selected === step.key ? "step" : undefined}
          aria-expanded={nested ? open : undefined}
          onClick={() => onSelect(step.key)}
          className={`flex min-w-0 flex-1 flex-col justify-center rounded-md px-2 text-left -outline-offset-2 hover:bg-hover ${selected === step.key ? "outline-2 -outline-offset-2 outline-accent" : ""}`}
        >
          <span className="flex w-full items-center gap-1.5">
            <span className="min-w-0 flex-1 truncate font-medium text-ink" title={step.title}>
              {step.title}
            </span>
            {step.flags && <FlagIcons names={step.flags} />}
          </span>
          <span className="flex w-full items-center gap-1.5 text-xs">
            <State name={step.state} word={step.word} />
            <Facts step={step} />
          </span>
          <span className="sr-only">{spoken(step)}</span>
        </button>
        {inside && (
          <button
            type="button"
            tabIndex={stop === step.key ? 0 : -1}
            aria-expanded={open}
            aria-label={`${open ? t("graph.close") : t("graph.open")} ${step.title}`}
            onClick={() => onToggle(step.key)}
            className="flex w-7 shrink-0 items-center justify-center rounded-md text-ink-3 hover:bg-hover hover:text-ink"
          >
            {open ? <ChevronDown aria-hidden className="size-4" /> : <ChevronRight aria-hidden className="size-4" />}
          </button>
        )}
      </div>
      {step.added && (
        <p className={`flex shrink-0 items-center gap-1 px-2 text-xs text-ink-2 ${boxes[step.state].ground}`} style={{ height: `${ADDED / 16}rem` }}>
          <CirclePlus aria-hidden className="size-3.5 shrink-0" />
          <span className="truncate">{t("graph.addedByTheModel")}</span>
        </p>
      )}
      {holds && offers.length > 0 && (
        <p className="line-clamp-4 shrink-0 px-2 pt-1 text-xs leading-4 text-ink-3" title={offersText(offers)}>
          {offersText(offers)}
        </p>
      )}
      {open &&
        !nested &&
        groups.map(({ phase, tools }) => (
          <div key={phase} className="border-t border-line">
            {phase > 0 && (
              <div className="flex items-center px-2 text-xs text-ink-3" style={{ height: `${(PHASE - 1) / 16}rem` }}>
                {t("graph.phase", { phase })}
                {tools.length > 1 ? t("graph.sideBySide") : ""}
              </div>
            )}
            {tools.map((tool) => (
              <ToolRow
                key={tool.key}
                tool={tool}
                selected={selected === tool.key}
                stop={stop === tool.key}
                onSelect={onSelect}
              />
            ))}
          </div>
        ))}
      <Ends direction={direction} />
    </div>
  );
});

function ToolRow({
  tool,
  selected,
  stop,
  onSelect,
}: {
  tool: Step;
  selected: boolean;
  stop: boolean;
  onSelect: (key: string) => void;
}) {
  return (
    <button
      type="button"
      data-step={tool.key}
      tabIndex={stop ? 0 : -1}
      aria-current={selected ? "step" : undefined}
      title={tool.reason && withNames(visibleText(tool.reason))}
      onClick={() => onSelect(tool.key)}
      style={{ height: `${TOOL / 16}rem` }}
      className={`flex w-full items-center gap-2 rounded-sm px-2 text-left text-xs -outline-offset-2 hover:bg-hover ${selected ? "outline-2 -outline-offset-2 outline-accent" : ""} ${tool.state === "paused" ? "bg-held-soft" : ""}`}
    >
      <StateIcon state={tool.state} />
      <span className="min-w-0 flex-1">
        <span className="flex gap-2">
          <span className="min-w-0 flex-1 truncate text-ink">{tool.title}</span>
          {tool.completeness !== undefined && <Completeness value={tool.completeness} />}
        </span>
        <span className="flex gap-1.5">
          <span className={`shrink-0 ${textOf(tool.state)}`}>{tool.word}</span>
          <Facts step={tool} />
          {tool.reason && <span className="min-w-0 truncate text-ink-3">{withNames(visibleText(tool.reason))}</span>}
        </span>
        {tool.phase && <span className="sr-only">{t("graph.phase2", { phase: tool.phase })}</span>}
      </span>
    </button>
  );
}

function Facts({ step }: { step: Step }) {
  const facts = [
    step.ms !== undefined ? duration(step.ms) : "",
    step.attempts > 1 ? t("graph.attempts", { attempts: step.attempts }) : "",
  ].filter(Boolean);
  const times = step.visits + (step.again ?? 0);
  return (
    <>
      {facts.length > 0 && <span className={`text-ink-3 ${times > 1 ? "min-w-0 truncate" : "shrink-0"}`}>{facts.join(" · ")}</span>}
      {times > 1 && (
        <span className="shrink-0 font-medium text-ink-2" title={timesText(step)}>
          <span aria-hidden>×{times}</span>
          <span className="sr-only">{timesText(step)}</span>
        </span>
      )}
    </>
  );
}

/** What ×3 means: visits, and re-entries within them. */
export function timesText(step: Step): string {
  const visits = step.visits > 1 ? t("graph.visits", { visits: step.visits }) : "";
  return [visits, step.again ? againText(step) : ""].filter(Boolean).join("; ");
}

function Completeness({ value }: { value: number }) {
  return (
    <span className="shrink-0 text-ink-2" title={t("graph.completeness")}>
      {Math.round(value * 100)} %
    </span>
  );
}

export const Terminal = memo(function Terminal({ data }: NodeProps<TerminalNode>) {
  return (
    <div
      className={`flex h-full w-full items-center justify-center rounded-md border text-xs ${data.reached ? "border-ink-3 text-ink-2" : "border-line text-ink-3"}`}
    >
      {data.label}
      <Ends direction={data.direction} />
    </div>
  );
});
