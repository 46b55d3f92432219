import { Crosshair, Minimize2 } from "lucide-react";
import { Dialog } from "radix-ui";
import type { Manifest } from "@/api/types";
import { Graph } from "@/graph/Graph";
import { Legend } from "@/graph/Legend";
import type { TurnProgress } from "@/graph/progress";
import type { Step } from "@/graph/steps";
import type { TurnView } from "@/journal/view";
import { t } from "@/text/language";
import { told } from "@/text/told";
import { visibleText } from "@/text/visible";
import { Button, IconButton } from "@/ui/Button";
import { State } from "@/ui/State";
import { Budget } from "./Budget";
import { Detail } from "./Detail";

/** The graph in the whole window. It follows the stage that runs until a step is chosen, whose details stand beside it. */
export function FullGraph({ turn, manifest, progress, steps, step, onSelect, onClose }: {
  turn: TurnView;
  manifest: Manifest;
  progress: TurnProgress;
  steps: readonly Step[];
  step: Step | null;
  onSelect(key: string | null): void;
  onClose(): void;
}) {
  const running = steps.filter(({ state }) => state === "running" || state === "paused").at(-1);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Content aria-describedby={undefined} data-full-graph className="fixed inset-0 z-40 flex flex-col bg-canvas">
          <header className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b bg-surface px-pad py-1.5">
            <Dialog.Title className="min-w-0 flex-1 truncate font-semibold">{t("inspector.graphOf", { title: told(visibleText(manifest.title || manifest.agent)), input: visibleText(turn.input) })}</Dialog.Title>
            <span role="status" className="text-sm">{running ? <State name={running.state === "paused" ? "paused" : "running"} word={`${running.word}: ${running.title}`} /> : <State name={turn.status} />}</span>
            {step && <Button small icon={Crosshair} onClick={() => onSelect(null)}>{t("inspector.followWhatRuns")}</Button>}
            <IconButton icon={Minimize2} label={t("inspector.backToTheConversation")} keys="Esc" small onClick={onClose} />
          </header>
          <div className="flex min-h-0 flex-1 max-lg:flex-col">
            <div className="min-h-0 min-w-0 flex-1"><Graph manifest={manifest} progress={progress} steps={steps} selected={step?.key ?? null} onSelect={onSelect} onOpen={onSelect} /></div>
            {step && <aside aria-label={t("inspector.details")} tabIndex={0} className="min-h-0 shrink-0 overflow-auto border-l bg-surface max-lg:h-2/5 max-lg:border-t lg:w-96"><Detail turn={turn} progress={progress} step={step} manifest={manifest} /></aside>}
          </div>
          <footer className="shrink-0 space-y-1 border-t bg-surface px-pad py-1.5"><Budget turn={turn} manifest={manifest} /><Legend manifest={manifest} /></footer>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
