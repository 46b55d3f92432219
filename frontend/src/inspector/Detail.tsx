import { useMemo, type ReactNode } from "react";
import type { EventOfKind, Json, Manifest, ManifestStage } from "@/api/types";
import { FlagList } from "@/graph/Flags";
import { mutationText } from "@/graph/mutations";
import type { Attempt, StageProgress, ToolProgress, TurnProgress } from "@/graph/progress";
import { againText, chosenText, fromText, type Step } from "@/graph/steps";
import { wordsOf } from "@/graph/words";
import { plain } from "@/text/names";
import type { TurnView } from "@/journal/view";
import { CompletenessBar } from "@/memory/CompletenessBar";
import { go } from "@/shell/route";
import { checkedBy } from "@/conversation/Crisis";
import { duration } from "@/text/format";
import { Button } from "@/ui/Button";
import { ShortId } from "@/ui/ShortId";
import { State } from "@/ui/State";
import { Time } from "@/ui/Time";
import { visibleText } from "@/text/visible";
import { Notes } from "./Notes";
import { Prompt } from "./Prompt";
import { Report } from "./Report";
import { PlainText, Value } from "./Value";

/** All that the journal knows of one step, or of the whole turn when none is chosen. */
export function Detail({ turn, progress, step, manifest }: { turn: TurnView; progress: TurnProgress; step: Step | null; manifest?: Manifest }) {
  const stageOfManifest = useMemo(() => (manifest && step ? find(manifest.stages, step.stage) : undefined), [manifest, step]);
  if (!step) return <TurnDetail turn={turn} />;
  const stage = progress.stages[step.stage];
  const tool = step.kind === "tool" ? stage?.tools.find(({ key }) => key === step.key) : undefined;
  return (
    <article aria-label={`Details of ${step.title}`} className="space-y-4 p-pad">
      <header>
        <p className="text-xs text-ink-3">
          {step.kind === "tool" ? `Tool of “${wordsOf(manifest).stage(step.stage)}”${step.phase ? `, phase ${step.phase}` : ""}` : "Stage"} <span className="font-mono">{visibleText(step.key)}</span>
        </p>
        <h2 className="flex flex-wrap items-center gap-x-3 text-lg font-semibold">
          {step.title} <State name={step.state} word={step.word} />
        </h2>
        {step.added && <p className="text-ink-2">Added by the model in this turn.</p>}
        {stageOfManifest?.description && step.kind === "stage" && <p className="wrap-anywhere text-ink-2">{visibleText(stageOfManifest.description)}</p>}
        {step.reason && <p className="wrap-anywhere text-ink-2">{step.reason}</p>}
      </header>
      {step.kind === "stage" && step.flags && (
        <Part title="Flags">
          <FlagList names={step.flags} />
        </Part>
      )}
      {tool ? (
        <ToolDetail tool={tool} />
      ) : stage ? (
        <StageDetail stage={stage} turn={turn} />
      ) : (
        <p className="text-ink-3">This stage has not run in this turn.</p>
      )}
    </article>
  );
}

function find(stages: readonly ManifestStage[] | null | undefined, path: string): ManifestStage | undefined {
  const [head, ...rest] = path.split("/");
  const stage = stages?.find(({ id }) => id === head);
  return rest.length ? find(stage?.stages, rest.join("/")) : stage;
}

function StageDetail({ stage, turn }: { stage: StageProgress; turn: TurnView }) {
  const calls = useMemo(
    () => turn.events.filter((event) => event.kind === "model_called").filter((event) => event.stage === stage.id),
    [turn.events, stage.id],
  );
  const input = useMemo(() => inputOf(stage, turn), [stage, turn]);
  const safety = turn.safety?.stage === stage.id ? turn.safety : null;
  return (
    <>
      <Facts>
        {stage.ms !== undefined && <Fact name="Took">{duration(stage.ms)}</Fact>}
        {stage.chosen && (
          <Fact name="Reached from">
            {fromText(stage.chosen)}
            {chosenText(stage.chosen) && ` — ${chosenText(stage.chosen)}`}
          </Fact>
        )}
        {stage.chosen?.reason && stage.chosen.reason.length <= SHORT && <Fact name="Because">{visibleText(stage.chosen.reason)}</Fact>}
        {stage.again > 0 && <Fact name="Again">{againText(stage)}</Fact>}
      </Facts>
      <Reasons turn={turn} stage={stage} />
      <Changes turn={turn} stage={stage.id} />
      <Notes notes={stage.notes} />
      {safety && (
        <Part title="Safety check">
          <Facts>
            <Fact name="Result">{{ intervention: "Intervention", check_in: "Check-in: the turn went on", none: "No alarm" }[safety.level]}</Fact>
            {safety.category && <Fact name="Category">{plain(safety.category)}</Fact>}
            <Fact name="Checked by">{checkedBy(safety).join(", ")}</Fact>
            {safety.foundBy.length > 0 && <Fact name="Found by">{safety.foundBy.join(", ")}</Fact>}
            {safety.tiers.filter(({ reasons }) => reasons.length > 0).map(({ tier, reasons }) => (
              <Fact key={tier} name={`What ${tier} saw`}>{reasons.map((reason) => `“${visibleText(reason)}”`).join(", ")}</Fact>
            ))}
            {safety.judged && <Fact name={safety.judged.practice ? "Script" : "Model"}>{visibleText(safety.judged.risk)}{safety.judged.category && safety.judged.category !== "none" && `: ${visibleText(safety.judged.category).replaceAll("_", " ")}`}</Fact>}
            {safety.speaker && safety.speaker !== "self" && <Fact name="Told by">{safety.speaker === "clinician" ? "a professional, about another person" : "somebody close, about another person"}</Fact>}
            {safety.region && <Fact name="Region">{safety.region}</Fact>}
            {safety.rules.length > 0 && (
              <Fact name="Rules">{safety.rules.map(({ rule }) => plain(rule)).join(", ")}</Fact>
            )}
            {safety.reason && <Fact name="Reason">{safety.reason}</Fact>}
          </Facts>
        </Part>
      )}
      <Attempts attempts={stage.attempts} />
      <Part title="Input">
        {input.length === 0 ? (
          <p className="text-ink-3">No stage had written anything before this one.</p>
        ) : (
          input.map(({ name, value }) => <Named key={name} name={name} value={value} />)
        )}
      </Part>
      {calls.map((call, index) => (
        <ModelPart key={call.seq ?? index} event={call} />
      ))}
      <Part title="Patch">
        {!stage.patch ? (
          <p className="text-ink-3">This stage has written nothing yet.</p>
        ) : Object.keys(stage.patch).length === 0 ? (
          <p className="text-ink-3">This stage changed no channel.</p>
        ) : (
          Object.entries(stage.patch).map(([name, value]) => <Named key={name} name={name} value={value} />)
        )}
      </Part>
    </>
  );
}

/** What a stage could see: the message, and what the stages that led to it wrote. */
function inputOf(stage: Pick<StageProgress, "id">, turn: TurnView): { name: string; value: Json }[] {
  const input: { name: string; value: Json }[] = turn.input ? [{ name: "message", value: turn.input }] : [];
  const before = turn.stages[stage.id]?.attempts.at(-1)?.startedAt;
  const patches = turn.stageOrder
    .map((id) => turn.stages[id]!)
    .filter(
      ({ id, patch, endedAt }) =>
        id !== stage.id && patch && endedAt !== null && before !== undefined && endedAt <= before,
    );
  for (const { id, patch } of patches)
    for (const [channel, value] of Object.entries(patch!))
      input.push({ name: `${channel} (from ${plain(id)})`, value });
  return input;
}

const SHORT = 160;

/** Why the run came here, each time, in full where one line does not hold it. */
function Reasons({ turn, stage }: { turn: TurnView; stage: StageProgress }) {
  const stated = turn.transitions.filter(({ to, from, reason }) => to === stage.id && from !== to && reason);
  if (stated.length === 0 || (stated.length === 1 && stated[0]!.reason.length <= SHORT)) return null;
  return (
    <Part title={stated.length > 1 ? `Stated reasons (${stated.length})` : "Stated reason"}>
      {stated.map(({ seq, reason, resolver }, index) => (
        <div key={seq}>
          {stated.length > 1 && <p className="mb-1 text-xs text-ink-3">Visit {index + 1}, {resolver}</p>}
          <PlainText text={reason} label={`Stated reason ${index + 1}`} />
        </div>
      ))}
    </Part>
  );
}

/** What the stage asked to change in the graph. */
function Changes({ turn, stage }: { turn: TurnView; stage: string }) {
  const asked = turn.mutations.filter((one) => one.stage === stage);
  if (asked.length === 0) return null;
  return (
    <Part title="Changes of the graph">
      <ol className="space-y-2">
        {asked.map((one) => (
          <li key={one.seq}>
            <p className="wrap-anywhere"><State name={one.refused ? "refused" : "done"} word={one.refused ? "Refused" : "Made"} /> {visibleText(mutationText(one))}</p>
            {one.reason && <p className="text-ink-2 wrap-anywhere">“{visibleText(one.reason)}”</p>}
            {one.error && <p className="text-failed wrap-anywhere">{visibleText(one.error)}{one.hook && ` (hook ${visibleText(one.hook)})`}</p>}
            {one.mutation?.stage !== undefined && <Value value={one.mutation.stage} label="Definition of the added stage" />}
          </li>
        ))}
      </ol>
    </Part>
  );
}

function ToolDetail({ tool }: { tool: ToolProgress }) {
  return (
    <>
      <Facts>
        {tool.ms !== undefined && <Fact name="Took">{duration(tool.ms)}</Fact>}
        {tool.completeness !== undefined && (
          <Fact name="Completeness">
            <CompletenessBar value={tool.completeness} wide />
          </Fact>
        )}
        {tool.why && <Fact name="Ran because">{tool.why}</Fact>}
        {tool.gate && <Fact name="Skip gate">{plain(tool.gate)}</Fact>}
        {tool.call && (
          <Fact name="Call">
            <ShortId value={tool.call} what="call id" />
          </Fact>
        )}
        {tool.approval && (
          <Fact name="Approval">
            {tool.approval.status}
            {tool.approval.reviewer && ` by ${tool.approval.reviewer}`}{" "}
            <ShortId value={tool.approval.digest} what="digest" />
          </Fact>
        )}
        {tool.refs.length > 0 && (
          <Fact name="Wrote">
            {tool.refs.map((ref) => {
              const [type = "", id = ""] = ref.split("/");
              return (
                <Button key={ref} small look="quiet" onClick={() => go("records", type, id)}>
                  {ref.length > 28 ? `${ref.slice(0, 28)}…` : ref}
                </Button>
              );
            })}
          </Fact>
        )}
      </Facts>
      <Attempts attempts={tool.attempts} />
      {tool.input !== null && (
        <Part title="Arguments">
          <Value value={tool.input} label="Arguments" />
        </Part>
      )}
      {tool.output !== null && (
        <Part title="Result">
          <Value value={tool.output} label="Result" />
        </Part>
      )}
    </>
  );
}

function ModelPart({ event }: { event: EventOfKind<"model_called"> }) {
  const data: NonNullable<typeof event.data> = event.data ?? {};
  const { prompt_tokens: sent, evaluated, output_tokens: output, ms } = data;
  const told = ["role", "purpose", "model", "digest", "prompt_tokens", "evaluated", "output_tokens", "ms", "prompt", "texts"];
  const rest = Object.entries<Json | undefined>(data).filter(([name, value]) => !told.includes(name) && value !== "" && value !== null);
  const short = rest.filter(([, value]) => typeof value !== "object" && String(value).length < 80);
  const long = rest.filter((entry) => !short.includes(entry));
  const purpose = [data.purpose, data.role]
    .filter((word) => typeof word === "string" && word !== "")
    .map((word) => plain(String(word)));
  return (
    <Part title={purpose.length ? `Model call (${purpose.join(", ")})` : "Model call"}>
      <Facts>
        {typeof data.model === "string" && <Fact name="Model">{data.model}</Fact>}
        {typeof data.digest === "string" && (
          <Fact name="Digest">
            <ShortId value={data.digest} what="model digest" />
          </Fact>
        )}
        {sent !== undefined && (
          <Fact name="Prompt">
            {sent.toLocaleString("en")} tokens
            {evaluated !== undefined && `, ${evaluated.toLocaleString("en")} of them evaluated`}
          </Fact>
        )}
        {output !== undefined && <Fact name="Output">{output.toLocaleString("en")} tokens</Fact>}
        {ms !== undefined && <Fact name="Took">{duration(ms)}</Fact>}
        {output !== undefined && ms ? <Fact name="Speed">{(output / (ms / 1000)).toFixed(1)} tokens/s</Fact> : null}
        {short.map(([name, value]) => (
          <Fact key={name} name={plain(name)}>
            {name.endsWith("_ms") && typeof value === "number" ? duration(value) : String(value)}
          </Fact>
        ))}
      </Facts>
      {data.prompt !== undefined && <Prompt prompt={data.prompt as Json} texts={Array.isArray(data.texts) ? data.texts : []} />}
      {long.map(([name, value]) => (
        <Named key={name} name={name} value={value} />
      ))}
    </Part>
  );
}

function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  if (attempts.length === 0) return null;
  return (
    <Part title={attempts.length > 1 ? `Attempts (${attempts.length})` : "Timing"}>
      <ol className="space-y-1">
        {attempts.map((attempt, index) => (
          <li key={index} className="flex flex-wrap gap-x-3">
            <span className="text-ink-3">{index + 1}</span>
            <Time at={new Date(attempt.start).toISOString()} />
            <span>{attempt.end === undefined ? "running" : duration(attempt.end - attempt.start)}</span>
            {attempt.held && <State name="paused" word="until the hold point" />}
            {attempt.error && (
              <span className="wrap-anywhere text-failed">
                {attempt.class ? `${attempt.class}: ` : ""}
                {attempt.error}
                {attempt.retry ? " — tried again" : ""}
              </span>
            )}
          </li>
        ))}
      </ol>
    </Part>
  );
}

function TurnDetail({ turn }: { turn: TurnView }) {
  const prompt = turn.modelCalls.reduce((sum, call) => sum + call.promptTokens, 0);
  const output = turn.modelCalls.reduce((sum, call) => sum + call.outputTokens, 0);
  return (
    <article aria-label="Details of the turn" className="space-y-4 p-pad">
      <header>
        <h2 className="flex flex-wrap items-center gap-x-3 text-lg font-semibold">
          This turn <State name={turn.status} />
        </h2>
        <p className="text-ink-3">
          Choose a step in the graph or the list to see its input, patch, timing and attempts.
        </p>
      </header>
      <Facts>
        <Fact name="Began">
          <Time at={turn.startedAt} />
        </Fact>
        {turn.endedAt && (
          <Fact name="Ended">
            <Time at={turn.endedAt} />
          </Fact>
        )}
        <Fact name="Model">
          {turn.model || "none"}
          {turn.practice && " (practice)"}
        </Fact>
        {turn.modelCalls.length > 0 && (
          <Fact name="Tokens">
            {prompt.toLocaleString("en")} in, {output.toLocaleString("en")} out, in {turn.modelCalls.length}{" "}
            {turn.modelCalls.length === 1 ? "call" : "calls"}
          </Fact>
        )}
        {turn.agent && <Fact name="Agent">{plain(turn.agent)}{turn.vars.pattern && `, pattern ${plain(turn.vars.pattern)}`}</Fact>}
        {turn.steps > 0 && <Fact name="Steps">{turn.steps}</Fact>}
        <Fact name="Turn">
          <ShortId value={turn.id} what="turn id" />
        </Fact>
        <Fact name="Graph">
          <ShortId value={turn.fingerprint} what="fingerprint" />
        </Fact>
        {turn.refs.length > 0 && <Fact name="Wrote">{turn.refs.join(", ")}</Fact>}
      </Facts>
      {turn.error && (
        <Part title="Error">
          <PlainText text={turn.error} label="Error" />
        </Part>
      )}
      <Part title="Message">
        <PlainText text={turn.input} label="Message" />
      </Part>
      {turn.status !== "running" && <Report turn={turn} />}
      {turn.resumes.map((resume, index) => (
        <Part key={index} title="Resumed">
          <p>
            <Time at={resume.at} /> — kept {count(resume.kept)}, ran again {count(resume.rerun)}
            {resume.unknown > 0 && `, the outcome of ${resume.unknown === 1 ? "one call" : `${resume.unknown} calls`} is unknown`}
          </p>
        </Part>
      ))}
    </article>
  );
}

const count = (stages: readonly string[]) => (stages.length ? stages.map(plain).join(", ") : "nothing");

export function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="space-y-2">
      <h3 className="text-sm font-semibold">{title}</h3>
      {children}
    </section>
  );
}

function Named({ name, value }: { name: string; value: Json | undefined }) {
  return (
    <div>
      <p className="mb-1 font-mono text-xs text-ink-2">{name}</p>
      <Value value={value} label={name} />
    </div>
  );
}

export function Facts({ children }: { children: ReactNode }) {
  return <dl className="grid grid-cols-[minmax(5rem,auto)_1fr] gap-x-4 gap-y-1">{children}</dl>;
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  );
}
