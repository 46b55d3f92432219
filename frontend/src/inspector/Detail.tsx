import { useMemo, type ReactNode } from "react";
import { useRead } from "@/api/query";
import type { AgentInfo, EventOfKind, Json, Manifest, ManifestStage } from "@/api/types";
import { Decided } from "@/approvals/Decided";
import { FlagList } from "@/graph/Flags";
import { mutationText } from "@/graph/mutations";
import type { Attempt, StageProgress, ToolProgress, TurnProgress } from "@/graph/progress";
import { againText, chosenText, fromText, type Step } from "@/graph/steps";
import { useManifest } from "@/graph/useManifest";
import { wordsOf, type Words } from "@/graph/words";
import { toldFailure } from "@/text/failure";
import { plain } from "@/text/names";
import type { TurnView } from "@/journal/view";
import { CompletenessBar } from "@/memory/CompletenessBar";
import { go } from "@/shell/route";
import { checkedBy, foundWord, kindWord } from "@/conversation/Crisis";
import { duration, fixed } from "@/text/format";
import { t } from "@/text/language";
import { Button } from "@/ui/Button";
import { ShortId } from "@/ui/ShortId";
import { State } from "@/ui/State";
import { Time } from "@/ui/Time";
import { prose, visibleText } from "@/text/visible";
import { Notes } from "./Notes";
import { Prompt } from "./Prompt";
import { Report } from "./Report";
import { PlainText, Value } from "./Value";
import { withoutParts } from "@/text/problem";
import { told } from "@/text/told";

/** All that the journal knows of one step, or of the whole turn when none is chosen. */
export function Detail({ turn, progress, step, manifest }: { turn: TurnView; progress: TurnProgress; step: Step | null; manifest?: Manifest }) {
  const stageOfManifest = useMemo(() => (manifest && step ? find(manifest.stages, step.stage) : undefined), [manifest, step]);
  if (!step) return <TurnDetail turn={turn} />;
  const stage = progress.stages[step.stage];
  const tool = step.kind === "tool" ? stage?.tools.find(({ key }) => key === step.key) : undefined;
  return (
    <article aria-label={t("inspector.detailsOf", { title: step.title })} className="space-y-4 p-pad">
      <header>
        <p className="text-xs text-ink-3">
          {step.kind === "tool" ? t("inspector.toolOf", { stage: wordsOf(manifest).stage(step.stage), phase: step.phase ? t("inspector.phase", { phase: step.phase }) : "" }) : t("inspector.stage")} <span className="font-mono">{visibleText(step.key)}</span>
        </p>
        <h2 className="flex flex-wrap items-center gap-x-3 text-lg font-semibold">
          {step.title} <State name={step.state} word={step.word} />
        </h2>
        {step.added && <p className="text-ink-2">{t("inspector.addedByTheModelInThis")}</p>}
        {stageOfManifest?.description && step.kind === "stage" && <p className="wrap-anywhere text-ink-2">{visibleText(told(stageOfManifest.description))}</p>}
        {step.reason && <p className="wrap-anywhere text-ink-2">{told(step.reason)}</p>}
      </header>
      {step.kind === "stage" && step.flags && (
        <Part title={t("inspector.flags")}>
          <FlagList names={step.flags} />
        </Part>
      )}
      {tool ? (
        <ToolDetail tool={tool} />
      ) : stage ? (
        <StageDetail stage={stage} turn={turn} words={wordsOf(manifest)} />
      ) : (
        <p className="text-ink-3">{t("inspector.thisStageHasNotRunIn")}</p>
      )}
    </article>
  );
}

function find(stages: readonly ManifestStage[] | null | undefined, path: string): ManifestStage | undefined {
  const [head, ...rest] = path.split("/");
  const stage = stages?.find(({ id }) => id === head);
  return rest.length ? find(stage?.stages, rest.join("/")) : stage;
}

/** What the meaning tier names a message near to: examples of finer kinds than people are told of. */
function nearWord(kind: string): string | undefined {
  switch (kind) {
    case "cssrs dev": return t("inspector.nearForum");
    case "distress": return t("inspector.nearDistress");
    case "suicide intent": return t("inspector.nearIntent");
    case "attempt means": return t("inspector.nearMeans");
    case "self harm now": return t("inspector.nearSelfHarm");
    case "eating disorder": return t("inspector.nearEating");
    case "partner parent violence": return t("inspector.nearViolence");
    case "child abuse": return t("inspector.nearChildAbuse");
    case "harm others": return t("inspector.nearHarmToOthers");
    case "psychosis command": return t("inspector.nearVoices");
    case "clinician report": return t("inspector.nearProfessional");
    case "relative report": return t("inspector.nearRelative");
    default: return undefined;
  }
}

/** What weighed, as the check names it: an excerpt, or the kind of danger that came nearest. */
function reasonText(reason: string, tier: string): string {
  const near = tier === "meaning" ? nearWord(/^near (.*)$/.exec(reason)?.[1] ?? "") : undefined;
  if (near) return t("inspector.nearKind", { kind: near });
  const alike = /^says “(.*)”, more or less$/s.exec(reason)?.[1];
  return alike !== undefined ? t("inspector.saysAlike", { text: visibleText(alike) }) : t("text.quoted", { text: visibleText(reason) });
}

/** What the classifier said. */
const riskWord = (risk: string): string => ({ none: t("inspector.riskNone"), concern: t("inspector.riskConcern"), crisis: t("inspector.riskCrisis") })[risk] ?? visibleText(plain(risk));

/** What a request to a model tells of itself beside what has a place of its own. */
const factName = (name: string): string => ({ prompt_ms: t("inspector.readingThePrompt"), output_ms: t("inspector.writingTheAnswer"), wait_ms: t("inspector.waitedForTheModel") })[name] ?? told(plain(name));

function StageDetail({ stage, turn, words }: { stage: StageProgress; turn: TurnView; words: Words }) {
  const calls = useMemo(
    () => turn.events.filter((event) => event.kind === "model_called").filter((event) => event.stage === stage.id),
    [turn.events, stage.id],
  );
  const input = useMemo(() => inputOf(stage, turn, words), [stage, turn, words]);
  const safety = turn.safety?.stage === stage.id ? turn.safety : null;
  return (
    <>
      <Facts>
        {stage.ms !== undefined && <Fact name={t("inspector.took2")}>{duration(stage.ms)}</Fact>}
        {stage.chosen && (
          <Fact name={t("inspector.reachedFrom")}>
            {fromText(stage.chosen)}
            {chosenText(stage.chosen) && ` — ${chosenText(stage.chosen)}`}
          </Fact>
        )}
        {stage.chosen?.reason && stage.chosen.reason.length <= SHORT && <Fact name={t("inspector.because2")}>{prose(told(stage.chosen.reason))}</Fact>}
        {stage.again > 0 && <Fact name={t("inspector.again")}>{againText(stage)}</Fact>}
      </Facts>
      <Reasons turn={turn} stage={stage} />
      <Changes turn={turn} stage={stage.id} />
      <Notes notes={stage.notes} />
      {safety && (
        <Part title={t("inspector.safetyCheck")}>
          <Facts>
            <Fact name={t("inspector.result")}>{{ intervention: t("inspector.intervention"), check_in: t("inspector.checkInTheTurnWentOn"), none: t("inspector.noAlarm") }[safety.level]}</Fact>
            {safety.category && <Fact name={t("inspector.category")}>{kindWord(safety.category)}</Fact>}
            <Fact name={t("inspector.checkedBy")}>{checkedBy(safety).join(", ")}</Fact>
            {safety.foundBy.length > 0 && <Fact name={t("inspector.foundBy")}>{safety.foundBy.map((name) => foundWord(name)).join(", ")}</Fact>}
            {safety.tiers.filter(({ reasons }) => reasons.length > 0).map(({ tier, reasons }) => (
              <Fact key={tier} name={t("inspector.whatSaw", { tier: foundWord(tier) })}>{reasons.map((reason) => reasonText(reason, tier)).join(", ")}</Fact>
            ))}
            {safety.judged && <Fact name={safety.judged.practice ? t("inspector.script") : t("inspector.model")}>{riskWord(safety.judged.risk)}{safety.judged.category && safety.judged.category !== "none" && ` (${kindWord(safety.judged.category)})`}</Fact>}
            {safety.speaker && safety.speaker !== "self" && <Fact name={t("inspector.toldBy")}>{safety.speaker === "clinician" ? t("inspector.aProfessionalAboutAnotherPerson") : t("inspector.somebodyCloseAboutAnotherPerson")}</Fact>}
            {safety.region && <Fact name={t("inspector.region")}>{safety.region}</Fact>}
            {safety.rules.length > 0 && (
              <Fact name={t("inspector.rules")}>{safety.rules.map(({ rule }) => plain(rule)).join(", ")}</Fact>
            )}
            {safety.reason && <Fact name={t("inspector.reason")}>{told(safety.reason)}</Fact>}
          </Facts>
        </Part>
      )}
      <Attempts attempts={stage.attempts} />
      <Part title={t("inspector.input")}>
        {input.length === 0 ? (
          <p className="text-ink-3">{t("inspector.noStageHadWrittenAnythingBefore")}</p>
        ) : (
          input.map(({ name, value }) => <Named key={name} name={name} value={value} />)
        )}
      </Part>
      {calls.map((call, index) => (
        <ModelPart key={call.seq ?? index} event={call} />
      ))}
      <Part title={t("inspector.patch")}>
        {!stage.patch ? (
          <p className="text-ink-3">{t("inspector.thisStageHasWrittenNothingYet")}</p>
        ) : Object.keys(stage.patch).length === 0 ? (
          <p className="text-ink-3">{t("inspector.thisStageChangedNoChannel")}</p>
        ) : (
          Object.entries(stage.patch).map(([name, value]) => <Named key={name} name={name} value={value} />)
        )}
      </Part>
    </>
  );
}

/** What a stage could see: the message, and what the stages that led to it wrote. */
function inputOf(stage: Pick<StageProgress, "id">, turn: TurnView, words: Words): { name: string; value: Json }[] {
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
      input.push({ name: t("inspector.from", { channel, id: words.stage(id) }), value });
  return input;
}

const SHORT = 160;

/** Why the run came here, each time, in full where one line does not hold it. */
function Reasons({ turn, stage }: { turn: TurnView; stage: StageProgress }) {
  const stated = turn.transitions.filter(({ to, from, reason }) => to === stage.id && from !== to && reason);
  if (stated.length === 0 || (stated.length === 1 && stated[0]!.reason.length <= SHORT)) return null;
  return (
    <Part title={stated.length > 1 ? t("inspector.statedReasons", { stated: stated.length }) : t("inspector.statedReason")}>
      {stated.map(({ seq, reason, resolver }, index) => (
        <div key={seq}>
          {stated.length > 1 && <p className="mb-1 text-xs text-ink-3">{t("inspector.visit", { index: index + 1, resolver })}</p>}
          <PlainText text={reason} label={t("inspector.statedReason2", { index: index + 1 })} />
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
    <Part title={t("inspector.changesOfTheGraph2")}>
      <ol className="space-y-2">
        {asked.map((one) => (
          <li key={one.seq}>
            <p className="wrap-anywhere"><State name={one.refused ? "refused" : "done"} word={one.refused ? t("inspector.refused") : t("inspector.made")} /> {mutationText(one)}</p>
            {one.reason && <p className="text-ink-2 wrap-anywhere">{t("text.quoted", { text: visibleText(one.reason) })}</p>}
            {one.error && <p className="text-failed wrap-anywhere">{prose(toldFailure(one.error))}{one.hook && ` ${t("inspector.hook", { hook: visibleText(one.hook) })}`}</p>}
            {one.mutation?.stage !== undefined && <Value value={one.mutation.stage} label={t("inspector.definitionOfTheAddedStage")} />}
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
        {tool.ms !== undefined && <Fact name={t("inspector.took2")}>{duration(tool.ms)}</Fact>}
        {tool.completeness !== undefined && (
          <Fact name={t("inspector.completeness")}>
            <CompletenessBar value={tool.completeness} wide />
          </Fact>
        )}
        {tool.why && <Fact name={t("inspector.ranBecause")}>{told(tool.why)}</Fact>}
        {tool.gate && <Fact name={t("inspector.skipGate")}>{plain(tool.gate)}</Fact>}
        {tool.call && (
          <Fact name={t("inspector.call")}>
            <ShortId value={tool.call} what={t("inspector.callId")} />
          </Fact>
        )}
        {tool.approval && (
          <Fact name={t("inspector.approval")}>
            <span className="flex flex-wrap items-center gap-x-2">
              <State name={tool.approval.status === "modified" ? "pending" : tool.approval.status} />
              {tool.approval.usedAt && <Time at={tool.approval.usedAt} className="text-ink-2" />}
              <Decided rejected={tool.approval.status === "rejected"} reviewer={tool.approval.reviewer} identity={tool.approval.identity} at={tool.approval.decidedAt} />
            </span>
            <ShortId value={tool.approval.digest} what={t("inspector.digest")} />
          </Fact>
        )}
        {tool.refs.length > 0 && (
          <Fact name={t("inspector.wrote")}>
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
        <Part title={t("inspector.arguments")}>
          <Value value={tool.input} label={t("inspector.arguments")} />
        </Part>
      )}
      {tool.output !== null && (
        <Part title={t("inspector.result")}>
          <Value value={tool.output} label={t("inspector.result")} />
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
    <Part title={purpose.length ? t("inspector.modelCall", { purpose: purpose.join(", ") }) : t("inspector.modelCall2")}>
      <Facts>
        {typeof data.model === "string" && <Fact name={t("inspector.model")}>{data.model}</Fact>}
        {typeof data.digest === "string" && (
          <Fact name={t("inspector.digest2")}>
            <ShortId value={data.digest} what={t("inspector.modelDigest")} />
          </Fact>
        )}
        {sent !== undefined && (
          <Fact name={t("inspector.prompt")}>
            {t("inspector.tokens2", { sent })}
            {evaluated !== undefined && t("inspector.ofThemEvaluated", { evaluated })}
          </Fact>
        )}
        {output !== undefined && <Fact name={t("inspector.output")}>{t("inspector.tokens3", { output })}</Fact>}
        {ms !== undefined && <Fact name={t("inspector.took2")}>{duration(ms)}</Fact>}
        {output !== undefined && ms ? <Fact name={t("inspector.speed")}>{t("inspector.tokensS", { output: fixed(output / (ms / 1000)) })}</Fact> : null}
        {short.map(([name, value]) => (
          <Fact key={name} name={factName(name)}>
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
    <Part title={attempts.length > 1 ? t("inspector.attempts", { attempts: attempts.length }) : t("inspector.timing")}>
      <ol className="space-y-1">
        {attempts.map((attempt, index) => (
          <li key={index} className="flex flex-wrap gap-x-3">
            <span className="text-ink-3">{index + 1}</span>
            <Time at={new Date(attempt.start).toISOString()} />
            <span>{attempt.end === undefined ? t("inspector.running") : duration(attempt.end - attempt.start)}</span>
            {attempt.held && <State name="paused" word={t("inspector.untilTheHoldPoint")} />}
            {attempt.error && (
              <span className="wrap-anywhere text-failed">
                {attempt.class ? `${attempt.class}: ` : ""}
                {toldFailure(attempt.error)}
                {attempt.retry ? t("inspector.triedAgain") : ""}
              </span>
            )}
          </li>
        ))}
      </ol>
    </Part>
  );
}

function TurnDetail({ turn }: { turn: TurnView }) {
  const words = wordsOf(useManifest(turn).manifest);
  const agents = useRead<AgentInfo[] | null>(turn.agent ? "/api/agents" : null, { staleTime: 60_000 }).data ?? [];
  const agent = agents.find(({ id }) => id === turn.agent);
  const pattern = agent?.patterns?.find(({ id }) => id === turn.vars.pattern);
  const prompt = turn.modelCalls.reduce((sum, call) => sum + call.promptTokens, 0);
  const output = turn.modelCalls.reduce((sum, call) => sum + call.outputTokens, 0);
  return (
    <article aria-label={t("inspector.detailsOfTheTurn")} className="space-y-4 p-pad">
      <header>
        <h2 className="flex flex-wrap items-center gap-x-3 text-lg font-semibold">
          {t("inspector.thisTurn")} <State name={turn.status} />
        </h2>
        <p className="text-ink-3">
          {t("inspector.chooseAStepInTheGraph")}
        </p>
      </header>
      <Facts>
        <Fact name={t("inspector.began")}>
          <Time at={turn.startedAt} />
        </Fact>
        {turn.endedAt && (
          <Fact name={t("inspector.ended")}>
            <Time at={turn.endedAt} />
          </Fact>
        )}
        <Fact name={t("inspector.model")}>
          {turn.model || t("inspector.none")}
          {turn.practice && ` ${t("inspector.practice")}`}
        </Fact>
        {turn.modelCalls.length > 0 && (
          <Fact name={t("inspector.tokens5")}>
            {t("inspector.inOutInCalls", { prompt, output, modelCalls: turn.modelCalls.length })}
          </Fact>
        )}
        {turn.agent && <Fact name={t("inspector.agent")}>{told(visibleText(agent?.title || plain(turn.agent)))}{turn.vars.pattern && t("inspector.pattern", { pattern: told(visibleText(pattern?.title || plain(turn.vars.pattern))) })}</Fact>}
        {turn.steps > 0 && <Fact name={t("inspector.steps2")}>{turn.steps}</Fact>}
        <Fact name={t("inspector.turn")}>
          <ShortId value={turn.id} what={t("inspector.turnId")} />
        </Fact>
        <Fact name={t("inspector.graph")}>
          <ShortId value={turn.fingerprint} what={t("inspector.fingerprint")} />
        </Fact>
        {turn.refs.length > 0 && <Fact name={t("inspector.wrote")}>{turn.refs.join(", ")}</Fact>}
      </Facts>
      {turn.error && (
        <Part title={t("inspector.error")}>
          <PlainText text={toldFailure(withoutParts(turn.error))} label={t("inspector.error")} />
        </Part>
      )}
      <Part title={t("inspector.message")}>
        <PlainText text={turn.input} label={t("inspector.message")} />
      </Part>
      {turn.status !== "running" && <Report turn={turn} />}
      {turn.resumes.map((resume, index) => (
        <Part key={index} title={t("inspector.resumed")}>
          <p>
            <Time at={resume.at} /> {t("inspector.keptRanAgain", { kept: count(resume.kept, words), rerun: count(resume.rerun, words) })}
            {resume.unknown > 0 && t("inspector.theOutcomeOfIsUnknown", { unknown: resume.unknown === 1 ? t("inspector.oneCall") : t("inspector.calls", { unknown: resume.unknown }) })}
          </p>
        </Part>
      ))}
    </article>
  );
}

const count = (stages: readonly string[], words: Words) => (stages.length ? stages.map(words.stage).join(", ") : t("inspector.nothing"));

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
