import { Handle, Position, type Node, type NodeProps } from "@xyflow/react";
import { ChevronDown, ChevronRight } from "lucide-react";
import { memo } from "react";
import { duration } from "@/text/format";
import type { Direction, Size } from "./layout";
import { State } from "@/ui/State";
import { boxes, StateIcon, textOf } from "./state";
import { spoken, type Step } from "./steps";

/** What one stage's box shows; a new object only when something in it changed. */
export interface StageView extends Record<string, unknown> {
  step: Step;
  /** Tools by phase; phase 0 holds the calls of the agent itself. */
  groups: { phase: number; tools: Step[] }[];
  open: boolean;
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

/** The size of an opened stage, known before it is drawn. */
export function openSize(groups: readonly { phase: number; tools: number }[], scale: number): Size {
  const rows = groups.reduce((sum, { phase, tools }) => sum + (phase ? PHASE : 0) + tools * TOOL, 0);
  return { width: 248 * scale, height: (HEAD + rows + FOOT) * scale };
}

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
  const { step, groups, open, selected, stop, direction, onSelect, onToggle } = data;
  const inside = groups.some(({ tools }) => tools.length > 0);
  return (
    <div
      className={`pointer-events-auto flex h-full w-full flex-col overflow-hidden rounded-md border bg-surface text-sm ${boxes[step.state].line}`}
    >
      <div className={`flex shrink-0 items-stretch ${boxes[step.state].ground}`} style={{ height: `${HEAD / 16}rem` }}>
        <button
          type="button"
          data-step={step.key}
          tabIndex={stop === step.key ? 0 : -1}
          aria-current={selected === step.key ? "step" : undefined}
          onClick={() => onSelect(step.key)}
          className={`flex min-w-0 flex-1 flex-col justify-center rounded-md px-2 text-left -outline-offset-2 hover:bg-hover ${selected === step.key ? "outline-2 -outline-offset-2 outline-accent" : ""}`}
        >
          <span className="w-full truncate font-medium text-ink" title={step.title}>
            {step.title}
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
            aria-label={`${open ? "Close" : "Open"} ${step.title}`}
            onClick={() => onToggle(step.key)}
            className="flex w-7 shrink-0 items-center justify-center rounded-md text-ink-3 hover:bg-hover hover:text-ink"
          >
            {open ? <ChevronDown aria-hidden className="size-4" /> : <ChevronRight aria-hidden className="size-4" />}
          </button>
        )}
      </div>
      {open &&
        groups.map(({ phase, tools }) => (
          <div key={phase} className="border-t border-line">
            {phase > 0 && (
              <div className="flex items-center px-2 text-xs text-ink-3" style={{ height: `${(PHASE - 1) / 16}rem` }}>
                Phase {phase}
                {tools.length > 1 ? " · side by side" : ""}
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
      title={tool.reason}
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
          {tool.reason && <span className="min-w-0 truncate text-ink-3">{tool.reason}</span>}
        </span>
        {tool.phase && <span className="sr-only">; phase {tool.phase}</span>}
      </span>
    </button>
  );
}

function Facts({ step }: { step: Step }) {
  const facts = [
    step.ms !== undefined ? duration(step.ms) : "",
    step.attempts > 1 ? `${step.attempts} attempts` : "",
    step.visits > 1 ? `${step.visits} visits` : "",
  ].filter(Boolean);
  return facts.length ? <span className="shrink-0 text-ink-3">{facts.join(" · ")}</span> : null;
}

function Completeness({ value }: { value: number }) {
  return (
    <span className="shrink-0 text-ink-2" title="completeness">
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
