import { Cpu, Download, GraduationCap, ListChecks, Play, Trash2 } from "lucide-react";
import { Switch } from "radix-ui";
import { useState, type FormEvent } from "react";
import { useCall, useRead } from "@/api/query";
import type { EncoderView, ModelList, ModelServer } from "@/api/types";
import { bytes } from "@/text/format";
import { problemText } from "@/text/problem";
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
  { id: "main", title: "Main", what: "writes the replies" },
  { id: "light", title: "Light", what: "classifies and checks; smaller and faster" },
  { id: "embed", title: "Embeddings", what: "finds similar text" },
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
        <ErrorNote error={error} title="The models could not be read." retry={() => void refetch()} />
      </div>
    );
  if (isPending) return <Loading what="Asking the model server…" />;
  const models = data.models ?? [];
  const start = (name: string) =>
    pull.mutate({ name }, { onError: sayError, onSuccess: () => say(`Pulling ${name}…`) });
  return (
    <div className="mx-auto max-w-4xl space-y-6 p-pad">
      <header className="flex flex-wrap items-start justify-between gap-3">
        <div>
          <h1 className="text-xl font-semibold">Models</h1>
          <p className="text-ink-2">They run on this laptop; nothing is sent anywhere.</p>
        </div>
        <Practice on={data.practice} manner={data.practice_manner ?? ""} />
      </header>
      <Server server={data.server} />
      {jobs.length > 0 && (
        <section aria-label="Downloads, imports and other work" className="space-y-2">
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
          title="No model yet"
          action={
            data.starters?.[0] ? (
              <Button
                look="primary"
                icon={Download}
                disabled={pull.isPending}
                onClick={() => start(data.starters![0]!.name)}
              >
                Pull {data.starters[0].name} ({bytes(data.starters[0].size)})
              </Button>
            ) : undefined
          }
        >
          A model writes the replies. Pull one, import a GGUF file, or use practice mode to look around with a scripted
          one.
        </Empty>
      ) : (
        <>
          <Roles list={data} models={models} />
          <section aria-label="Models on this laptop">
            <h2 className="mb-2 font-semibold">On this laptop</h2>
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
  const kinds = { own: "Holdpoint's own Ollama", user: "The Ollama that runs on this laptop", none: "No model server" };
  const names = { stopped: "waiting", starting: "running", ready: "done", failed: "failed" } as const;
  const words = { stopped: "Stopped", starting: "Starting", ready: "Ready", failed: "Failed" };
  return (
    <section aria-label="Model server" className="rounded-md border bg-surface p-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="font-medium">{kinds[server.kind]}</h2>
        <State name={names[server.status]} word={words[server.status]} />
        {server.version && <Chip>version {server.version}</Chip>}
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
            {server.kind === "none" ? "Look again" : server.status === "failed" ? "Start it again" : "Start it"}
          </Button>
        )}
      </div>
      {server.error && (
        <p className="mt-1 wrap-anywhere">
          <span className="text-failed">{problem.message}</span> {problem.hint}
        </p>
      )}
      {server.status === "failed" && server.kind !== "none" && (
        <p className="text-ink-2">Sessions and records stay readable. Practice mode works without a server.</p>
      )}
      {server.kind === "none" && (
        <p className="mt-1 text-ink-2">
          Install Ollama and start it, or use an edition of Holdpoint that carries it. Practice mode works without one.
        </p>
      )}
    </section>
  );
}

/** Which encoder ranks providers and finds notes: it needs no model. */
function Meaning({ encoder }: { encoder: EncoderView }) {
  return (
    <section aria-label="What compares meanings" className="rounded-md border bg-surface p-3">
      <h2 className="font-medium">Meaning</h2>
      <p className="text-ink-2 wrap-anywhere">{meaningText(encoder)}</p>
    </section>
  );
}

export function meaningText(encoder: EncoderView): string {
  switch (encoder.use) {
    case "inside":
    case "file":
      return "The sentence encoder in Holdpoint ranks providers and finds notes by meaning, in 16 languages and without a model.";
    case "model":
      return `Providers are ranked and notes found by meaning with the model ${encoder.name}.`;
    case "words":
      return "Nothing compares meanings: providers and notes are found by words. Choose an embedding model, or use a Holdpoint with the sentence encoder inside.";
  }
}

/** How the scripted model behaves: badly on request, to see what a graph makes of that. */
const manners = [
  { id: "", title: "behaves well" },
  { id: "stubborn", title: "stubborn: never content, asks for the same again" },
  { id: "wrong", title: "wrong: errs at first in every step" },
  { id: "slow", title: "slow: takes its time before each answer" },
] as const;

function Practice({ on, manner }: { on: boolean; manner: string }) {
  const set = useCall<{ on: boolean; manner?: string }>("set_practice");
  return (
    <div>
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the switch inside is one */}
      <label className="flex items-center gap-2">
        <GraduationCap aria-hidden className="size-4 text-ink-2" />
        <span>
          Practice mode
          <span className="block text-xs text-ink-3">a scripted model, marked on every screen</span>
        </span>
        <Switch.Root
          checked={on}
          disabled={set.isPending}
          aria-label="Practice mode"
          onCheckedChange={(value) => set.mutate({ on: value }, { onError: sayError })}
          className="relative h-6 w-10 shrink-0 rounded-md border border-line-strong bg-sunken data-[state=checked]:border-accent data-[state=checked]:bg-accent"
        >
          <Switch.Thumb className="block size-4 translate-x-1 rounded-sm bg-ink-2 transition-transform data-[state=checked]:translate-x-5 data-[state=checked]:bg-on-accent" />
        </Switch.Root>
      </label>
      {on && (
        <select
          aria-label="How the scripted model behaves"
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
    <section aria-label="Roles">
      <h2 className="mb-2 font-semibold">Which model does what</h2>
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
                    { onError: sayError, onSuccess: () => say(`${title} model set.`) },
                  )
                }
              >
                {(id !== "main" || !current) && (
                  <option value="">
                    {id === "main" ? "Choose a model" : id === "light" ? "Same as main" : list.encoder?.title ? "Sentence encoder (16 languages)" : "None"}
                  </option>
                )}
                {fitting.map((model) => (
                  <option key={model.name} value={model.name}>
                    {model.name}
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
        <h3 className="font-medium wrap-anywhere">{model.name}</h3>
        <p className="flex flex-wrap items-center gap-x-2 text-sm text-ink-2">
          <span>{bytes(model.size)}</span>
          {model.parameters && <span>{model.parameters} parameters</span>}
          {model.quantization && <span>{model.quantization}</span>}
          {model.family && <span>{model.family}</span>}
          <ShortId value={model.digest} what="model digest" />
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
          {model.loaded && <Chip title="In memory now: the next reply begins at once">loaded</Chip>}
        </p>
        {answers && <p className={`mt-1 text-sm ${model.check && model.check.failed.length > 0 ? "text-degraded" : "text-ink-2"}`}>{model.check ? `Checked: ${model.check.says}.` : "Not checked yet: five questions tell what it is good for."}</p>}
      </div>
      {answers && (
        <Button small look="quiet" icon={ListChecks} aria-label={`${checkWords(checking, !!model.check)}: what ${model.name} is good for`} disabled={checking || check.isPending} onClick={() => check.mutate({ name: model.name }, { onError: sayError, onSuccess: () => say(`Asking ${model.name} five questions…`) })}>
          {checkWords(checking, !!model.check)}
        </Button>
      )}
      <Button small look="quiet" icon={Trash2} aria-label={`Delete ${model.name}`} onClick={onDelete}>
        Delete
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
    <section aria-label="Get a model" className="space-y-3">
      <h2 className="font-semibold">Get a model</h2>
      {starters.length > 0 && (
        <ul className="grid gap-2 sm:grid-cols-2">
          {starters.map((starter) => (
            <li key={starter.name} className="flex items-start gap-3 rounded-md border bg-surface p-3">
              <div className="min-w-0 flex-1">
                <h3 className="font-medium wrap-anywhere">
                  {starter.name} <span className="font-normal text-ink-3">{bytes(starter.size)}</span>
                </h3>
                <p className="text-sm text-ink-2">{starter.why}</p>
              </div>
              <Button
                small
                icon={Download}
                aria-label={`Pull ${starter.name}`}
                disabled={busy}
                onClick={() => onPull(starter.name)}
              >
                Pull
              </Button>
            </li>
          ))}
        </ul>
      )}
      <form onSubmit={submit} className="flex flex-wrap items-end gap-2">
        <Field
          className="min-w-56 flex-1"
          label="Another one by name"
          hint="Pulling needs the network once; it can be stopped and resumed."
          placeholder="name:tag"
          value={name}
          onChange={(event) => setName(event.target.value)}
          spellCheck={false}
          autoComplete="off"
        />
        <div className="flex gap-2 pb-5">
          <Button type="submit" icon={Download} disabled={busy || !name.trim()}>
            Pull
          </Button>
          <ImportButton kind="model">Import a GGUF file</ImportButton>
        </div>
      </form>
    </section>
  );
}

function Delete({ model, onClose }: { model: Model | null; onClose: () => void }) {
  const remove = useCall<{ name: string }>("delete_model");
  const used = model?.roles?.length
    ? ` It is the ${model.roles.join(" and ")} model now; choose another one afterwards.`
    : "";
  return (
    <Dialog
      open={model !== null}
      onOpenChange={(open) => !open && onClose()}
      title={`Delete ${model?.name ?? ""}?`}
      description={`This frees ${bytes(model?.size ?? 0)}. Past turns keep its name and digest.${used}`}
    >
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Keep</Button>
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
                  say(`Deleted ${model!.name}.`);
                  onClose();
                },
              },
            )
          }
        >
          Delete
        </Button>
      </div>
    </Dialog>
  );
}

const checkWords = (checking: boolean, checked: boolean) => (checking ? "Being checked…" : checked ? "Check again" : "Check it");
