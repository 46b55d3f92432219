import { Cpu, Download, GraduationCap, ListChecks, Play, Trash2, TriangleAlert } from "lucide-react";
import { Switch } from "radix-ui";
import { useState, type FormEvent } from "react";
import { useCall, useRead } from "@/api/query";
import type { EncoderView, ModelList, ModelServer } from "@/api/types";
import { bytes } from "@/text/format";
import { t } from "@/text/language";
import { told } from "@/text/told";
import { problemText } from "@/text/problem";
import { visibleText } from "@/text/visible";
import { Button } from "@/ui/Button";
import { Chip } from "@/ui/Chip";
import { Dialog } from "@/ui/Dialog";
import { Field, inputLook } from "@/ui/Field";
import { Empty, ErrorNote, Loading } from "@/ui/Notice";
import { ShortId } from "@/ui/ShortId";
import { State } from "@/ui/State";
import { say, sayError } from "@/ui/toasts";
import { ImportButton } from "./ImportButton";
import { JobRow } from "./JobRow";
import { currentJobs, useClosedJobs, useJobsOf } from "./jobs";

type Model = NonNullable<ModelList["models"]>[number];
type Role = "main" | "light" | "embed";

const roles: { id: Role; title: string; what: string }[] = [
  { id: "main", get title() { return t("models.main"); }, get what() { return t("models.writesTheReplies"); } },
  { id: "light", get title() { return t("models.light"); }, get what() { return t("models.classifiesAndChecksSmallerAnd"); } },
  { id: "embed", get title() { return t("models.embeddings"); }, get what() { return t("models.findsSimilarText"); } },
];

/** Which models there are, what each is for, and how to get another one. */
export function ModelsScreen() {
  const { data, error, isPending, refetch } = useRead<ModelList>("/api/models");
  const [deleting, setDeleting] = useState<Model | null>(null);
  const all = useJobsOf("pull", "import_model", "check_model", "vectors");
  const closed = useClosedJobs((state) => state.closed);
  // A pull that stopped can be resumed, so it stays until it is put away.
  const jobs = all.filter((job) =>
    job.status === "failed" || job.status === "cancelled"
      ? !closed.has(job.id)
      : currentJobs([job], closed, Date.now()).length > 0,
  );
  const pull = useCall<{ name: string }>("pull_model");
  if (error)
    return (
      <div className="p-pad">
        <ErrorNote error={error} title={t("models.theModelsCouldNotBeRead")} retry={() => void refetch()} />
      </div>
    );
  if (isPending) return <Loading what={t("models.askingTheModelServer")} />;
  const models = data.models ?? [];
  const start = (name: string) =>
    pull.mutate({ name }, { onError: sayError, onSuccess: () => say(t("models.pulling", { name })) });
  return (
    <div className="mx-auto max-w-4xl space-y-6 p-pad">
      <header className="flex flex-wrap items-start justify-between gap-3">
        <div>
          <h1 className="text-xl font-semibold">{t("models.models")}</h1>
          <p className="text-ink-2">{t("models.theyRunOnThisLaptopNothing")}</p>
        </div>
        <Practice on={data.practice} manner={data.practice_manner ?? ""} />
      </header>
      <Server server={data.server} />
      {jobs.length > 0 && (
        <section aria-label={t("models.downloadsImportsAndOtherWork")} className="space-y-2">
          {jobs.slice(0, 5).map((job) => (
            <JobRow
              key={job.id}
              job={job}
              onResume={job.kind === "pull" ? () => start(nameOfPull(job.title)) : undefined}
            />
          ))}
        </section>
      )}
      {data.encoder && <Meaning encoder={data.encoder} />}
      {models.length === 0 ? (
        <Empty
          icon={Cpu}
          title={t("models.noModelYet")}
          action={
            data.starters?.[0] ? (
              <Button
                look="primary"
                icon={Download}
                disabled={pull.isPending}
                onClick={() => start(data.starters![0]!.name)}
              >
                {t("models.pull", { name: data.starters[0].name, starters: bytes(data.starters[0].size) })}
              </Button>
            ) : undefined
          }
        >
          {t("models.aModelWritesTheRepliesPull")}
        </Empty>
      ) : (
        <>
          <Roles list={data} models={models} />
          <section aria-label={t("models.modelsOnThisLaptop")}>
            <h2 className="mb-2 font-semibold">{t("models.onThisLaptop")}</h2>
            <ul className="divide-y rounded-md border bg-surface">
              {models.map((model) => (
                <ModelRow key={model.name} model={model} onDelete={() => setDeleting(model)} />
              ))}
            </ul>
          </section>
        </>
      )}
      <Get
        starters={(data.starters ?? []).filter(({ name }) => !models.some((model) => model.name === name))}
        busy={pull.isPending}
        onPull={start}
      />
      <Delete model={deleting} onClose={() => setDeleting(null)} />
    </div>
  );
}

/** The title of a pull job ends with the model's name. */
const nameOfPull = (title: string) => title.trim().split(/\s+/).pop() ?? title;

function Server({ server }: { server: ModelServer }) {
  const start = useCall<Record<string, never>>("start_server");
  const problem = problemText(server.error ?? "");
  const kinds = { own: t("models.holdpointsOwnOllama"), user: t("models.theOllamaThatRunsOnThis"), none: t("models.noModelServer") };
  const names = { stopped: "waiting", starting: "running", ready: "done", failed: "failed" } as const;
  const words = { stopped: t("models.stopped"), starting: t("models.starting"), ready: t("models.ready"), failed: t("models.failed") };
  return (
    <section aria-label={t("models.modelServer")} className="rounded-md border bg-surface p-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="font-medium">{kinds[server.kind]}</h2>
        <State name={names[server.status]} word={words[server.status]} />
        {server.version && <Chip>{t("models.version", { version: server.version })}</Chip>}
        {server.url && <Chip mono>{server.url}</Chip>}
        {server.status !== "ready" && server.status !== "starting" && (
          <Button
            small
            className="ml-auto"
            look={server.kind === "none" ? "plain" : "primary"}
            icon={Play}
            disabled={start.isPending}
            onClick={() => start.mutate({}, { onError: sayError })}
          >
            {server.kind === "none" ? t("models.lookAgain") : server.status === "failed" ? t("models.startItAgain") : t("models.startIt")}
          </Button>
        )}
      </div>
      {server.error && (
        <p className="mt-1 wrap-anywhere">
          <span className="text-failed">{problem.message}</span> {problem.hint}
        </p>
      )}
      {server.status === "failed" && server.kind !== "none" && (
        <p className="text-ink-2">{t("models.sessionsAndRecordsStayReadable")}</p>
      )}
      {server.kind === "none" && (
        <p className="mt-1 text-ink-2">
          {t("models.installOllamaAndStartItOr")}
        </p>
      )}
    </section>
  );
}

/** Which encoder ranks providers and finds notes: it needs no model. */
function Meaning({ encoder }: { encoder: EncoderView }) {
  return (
    <section aria-label={t("models.whatComparesMeanings")} className="rounded-md border bg-surface p-3">
      <h2 className="font-medium">{t("models.meaning")}</h2>
      {encoder.chosen && (
        <p className="mb-1 flex items-start gap-1 text-degraded"><TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" /><span className="wrap-anywhere">{t("models.chosenAndNotAtHand", { name: visibleText(encoder.chosen) })}</span></p>
      )}
      <p className="text-ink-2 wrap-anywhere">{meaningText(encoder)}</p>
      <p className="text-ink-2">{t("models.choosingReadsAnew")}</p>
    </section>
  );
}

export function meaningText(encoder: EncoderView): string {
  switch (encoder.use) {
    case "inside":
    case "file":
      return t("models.theSentenceEncoderInHoldpointRanks", { languages: t("models.theLanguagesOfTheEncoder") });
    case "model":
      return t("models.providersAreRankedAndNotesFound", { name: visibleText(encoder.name ?? "") });
    case "words":
      return t("models.nothingComparesMeaningsProviders");
  }
}

/** How the scripted model behaves: badly on request, to see what a graph makes of that. */
const manners = [
  { id: "", get title() { return t("models.behavesWell"); } },
  { id: "stubborn", get title() { return t("models.stubbornNeverContentAsksForThe"); } },
  { id: "wrong", get title() { return t("models.wrongErrsAtFirstInEvery"); } },
  { id: "slow", get title() { return t("models.slowTakesItsTimeBeforeEach"); } },
] as const;

function Practice({ on, manner }: { on: boolean; manner: string }) {
  const set = useCall<{ on: boolean; manner?: string }>("set_practice");
  return (
    <div>
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the switch inside is one */}
      <label className="flex items-center gap-2">
        <GraduationCap aria-hidden className="size-4 text-ink-2" />
        <span className="min-w-0">
          {t("models.practiceMode")}
          <span className="block text-xs text-ink-3">{t("models.aScriptedModelMarkedOnEvery")}</span>
        </span>
        <Switch.Root
          checked={on}
          disabled={set.isPending}
          aria-label={t("models.practiceMode")}
          onCheckedChange={(value) => set.mutate({ on: value }, { onError: sayError })}
          className="relative h-6 w-10 shrink-0 rounded-md border border-line-strong bg-sunken data-[state=checked]:border-accent data-[state=checked]:bg-accent"
        >
          <Switch.Thumb className="block size-4 translate-x-1 rounded-sm bg-ink-2 transition-transform data-[state=checked]:translate-x-5 data-[state=checked]:bg-on-accent" />
        </Switch.Root>
      </label>
      {on && (
        <select
          aria-label={t("models.howTheScriptedModelBehaves")}
          className={`${inputLook} mt-1 text-sm`}
          value={manner}
          disabled={set.isPending}
          onChange={(event) => set.mutate({ on: true, manner: event.target.value }, { onError: sayError })}
        >
          {manners.map(({ id, title }) => <option key={id} value={id}>{title}</option>)}
        </select>
      )}
    </div>
  );
}

function Roles({ list, models }: { list: ModelList; models: readonly Model[] }) {
  const set = useCall<{ role: Role; model: string }>("set_role");
  return (
    <section aria-label={t("models.roles")}>
      <h2 className="mb-2 font-semibold">{t("models.whichModelDoesWhat")}</h2>
      <div className="grid gap-3 sm:grid-cols-3">
        {roles.map(({ id, title, what }) => {
          const fitting = models.filter((model) => fits(model, id) || list.roles[id] === model.name);
          const current = list.roles[id] ?? "";
          return (
            <label key={id} className="block">
              <span className="text-sm font-medium">{title}</span>
              <span className="mb-1 block text-xs text-ink-3">{what}</span>
              <select
                className={inputLook}
                value={current}
                disabled={set.isPending}
                onChange={(event) =>
                  set.mutate(
                    { role: id, model: event.target.value },
                    { onError: sayError, onSuccess: () => say(t("models.modelSet", { title })) },
                  )
                }
              >
                {(id !== "main" || !current) && (
                  <option value="">
                    {id === "main" ? t("models.chooseAModel") : id === "light" ? t("models.sameAsMain") : list.encoder?.title ? t("models.sentenceEncoder16Languages") : t("models.none")}
                  </option>
                )}
                {fitting.map((model) => (
                  <option key={model.name} value={model.name}>
                    {visibleText(model.name)}
                  </option>
                ))}
              </select>
            </label>
          );
        })}
      </div>
    </section>
  );
}

/** Models that say nothing about themselves may be tried for anything. */
export function fits(model: { capabilities: string[] | null }, role: Role): boolean {
  const can = model.capabilities ?? [];
  if (can.length === 0) return true;
  return role === "embed" ? can.includes("embedding") : can.includes("completion") || !can.includes("embedding");
}

function ModelRow({ model, onDelete }: { model: Model; onDelete: () => void }) {
  const check = useCall<{ name: string }>("check_model");
  const checking = useJobsOf("check_model").some((job) => job.status === "running" && job.title === model.name);
  // One that only compares meanings answers no questions.
  const answers = fits(model, "main");
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-1 p-3">
      <div className="min-w-0 flex-1">
        <h3 className="font-medium wrap-anywhere">{visibleText(model.name)}</h3>
        <p className="flex flex-wrap items-center gap-x-2 text-sm text-ink-2">
          <span>{bytes(model.size)}</span>
          {model.parameters && <span>{t("models.parameters", { parameters: model.parameters })}</span>}
          {model.quantization && <span>{model.quantization}</span>}
          {model.family && <span>{model.family}</span>}
          <ShortId value={model.digest} what={t("models.modelDigest")} />
        </p>
        <p className="mt-1 flex flex-wrap gap-1">
          {(model.roles ?? []).map((role) => (
            <span key={role} className="rounded-sm bg-accent-soft px-1.5 text-xs font-medium text-accent">
              {role}
            </span>
          ))}
          {(model.capabilities ?? []).map((can) => (
            <Chip key={can}>{can}</Chip>
          ))}
          {model.loaded && <Chip title={t("models.inMemoryNowTheNextReply")}>{t("models.loaded")}</Chip>}
        </p>
        {answers && <p className={`mt-1 text-sm ${model.check && model.check.failed.length > 0 ? "text-degraded" : "text-ink-2"}`}>{model.check ? t("models.checked", { says: told(model.check.says) }) : t("models.notCheckedYetFiveQuestionsTell")}</p>}
      </div>
      {answers && (
        <Button small look="quiet" icon={ListChecks} aria-label={t("models.whatIsGoodFor", { checking: checkWords(checking, !!model.check), name: visibleText(model.name) })} disabled={checking || check.isPending} onClick={() => check.mutate({ name: model.name }, { onError: sayError, onSuccess: () => say(t("models.askingFiveQuestions", { name: model.name })) })}>
          {checkWords(checking, !!model.check)}
        </Button>
      )}
      <Button small look="quiet" icon={Trash2} aria-label={t("models.delete", { name: visibleText(model.name) })} onClick={onDelete}>
        {t("models.delete2")}
      </Button>
    </li>
  );
}

function Get({
  starters,
  busy,
  onPull,
}: {
  starters: NonNullable<ModelList["starters"]>;
  busy: boolean;
  onPull: (name: string) => void;
}) {
  const [name, setName] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim()) onPull(name.trim());
  };
  return (
    <section aria-label={t("models.getAModel")} className="space-y-3">
      <h2 className="font-semibold">{t("models.getAModel")}</h2>
      {starters.length > 0 && (
        <ul className="grid gap-2 sm:grid-cols-2">
          {starters.map((starter) => (
            <li key={starter.name} className="flex flex-wrap items-start gap-3 rounded-md border bg-surface p-3">
              <div className="min-w-0 flex-1">
                <h3 className="font-medium wrap-anywhere">
                  {starter.name} <span className="font-normal text-ink-3">{bytes(starter.size)}</span>
                </h3>
                <p className="text-sm text-ink-2">{told(starter.why)}</p>
              </div>
              <Button
                small
                icon={Download}
                aria-label={t("models.pull2", { name: starter.name })}
                disabled={busy}
                onClick={() => onPull(starter.name)}
              >
                {t("models.pull3")}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <form onSubmit={submit} className="flex flex-wrap items-end gap-2">
        <Field
          className="min-w-56 flex-1"
          label={t("models.anotherOneByName")}
          hint={t("models.pullingNeedsTheNetworkOnceIt")}
          placeholder={t("models.nameTag")}
          value={name}
          onChange={(event) => setName(event.target.value)}
          spellCheck={false}
          autoComplete="off"
        />
        <div className="flex flex-wrap gap-2 pb-5">
          <Button type="submit" icon={Download} disabled={busy || !name.trim()}>
            {t("models.pull3")}
          </Button>
          <ImportButton kind="model">{t("models.importAGgufFile")}</ImportButton>
        </div>
      </form>
    </section>
  );
}

const roleWord = (role: string): string => ({ main: t("models.main2"), light: t("models.light2"), embed: t("models.embed") })[role] ?? role;

function Delete({ model, onClose }: { model: Model | null; onClose: () => void }) {
  const remove = useCall<{ name: string }>("delete_model");
  const used = model?.roles?.length
    ? ` ${t("models.itIsTheModelNowChoose", { roles: model.roles.map((role) => roleWord(role)).join(` ${t("models.and")} `) })}`
    : "";
  return (
    <Dialog
      open={model !== null}
      onOpenChange={(open) => !open && onClose()}
      title={t("models.delete3", { name: visibleText(model?.name ?? "") })}
      description={t("models.thisFreesPastTurnsKeepIts", { model: bytes(model?.size ?? 0), used })}
    >
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{t("models.keep")}</Button>
        <Button
          look="danger"
          icon={Trash2}
          disabled={remove.isPending}
          onClick={() =>
            remove.mutate(
              { name: model!.name },
              {
                onError: sayError,
                onSuccess: () => {
                  say(t("models.deleted", { name: model!.name }));
                  onClose();
                },
              },
            )
          }
        >
          {t("models.delete2")}
        </Button>
      </div>
    </Dialog>
  );
}

const checkWords = (checking: boolean, checked: boolean) => (checking ? t("models.beingChecked") : checked ? t("models.checkAgain") : t("models.checkIt"));
