import { ArrowRight, CheckCircle2, Download, FlaskConical, Hospital, OctagonX, RotateCw } from "lucide-react";
import { useState } from "react";
import type { AppState, Check, ModelList } from "@/api/types";
import { queryClient, useRead } from "@/api/query";
import { ImportButton } from "@/models/ImportButton";
import { JobRow } from "@/models/JobRow";
import { useJobsOf } from "@/models/jobs";
import { DropZone } from "@/records/DropZone";
import { RegionSelect } from "@/settings/Region";
import { go, href } from "@/shell/route";
import { bytes } from "@/text/format";
import { transport } from "@/transport";
import { Button } from "@/ui/Button";
import { ErrorNote, Loading } from "@/ui/Notice";
import { sayError } from "@/ui/toasts";

const call = (name: string, body: unknown = {}) =>
  transport().call(name, body).then(() => void queryClient.invalidateQueries({ queryKey: ["api"] })).catch(sayError);

/** What is needed before the first message: a model (or practice mode), and records. */
export function FirstRun({ state }: { state: AppState }) {
  const checks = useRead<Check[] | null>("/api/doctor");
  const models = useRead<ModelList>("/api/models");
  const pulls = useJobsOf("pull", "import_model");
  const clinic = useJobsOf("sample", "import_records");
  const [busy, setBusy] = useState(false);
  // The server names a model in use only once it was asked; what is installed can answer.
  const installed = (models.data?.models ?? []).filter((model) => (model.capabilities ?? ["completion"]).includes("completion"));
  const main = state.model.main?.name || models.data?.roles.main || installed[0]?.name || "";
  const ready = main !== "" || state.practice;
  const records = state.counts.patients > 0;
  const once = (run: Promise<unknown>) => {
    setBusy(true);
    void run.finally(() => setBusy(false));
  };

  return (
    <div className="h-full overflow-auto">
      <div className="mx-auto max-w-3xl space-y-6 p-6">
        <header>
          <h1 className="text-2xl font-semibold">Welcome to Holdpoint</h1>
          <p className="mt-1 text-lg text-ink-2">An agent reads records and answers on this laptop. Before it changes anything it stops, shows exactly what would happen, and waits for you.</p>
        </header>

        <section aria-labelledby="checks" className="rounded-md border bg-surface">
          <div className="flex items-center justify-between border-b px-pad py-2">
            <h2 id="checks" className="font-semibold">This laptop</h2>
            <Button small look="quiet" icon={RotateCw} onClick={() => void checks.refetch()}>Check again</Button>
          </div>
          {checks.error && <div className="p-pad"><ErrorNote error={checks.error} /></div>}
          {checks.isPending && <Loading what="Checking…" />}
          <ul className="grid gap-x-4 py-1 sm:grid-cols-2">
            {(checks.data ?? []).map((check) => (
              <li key={check.id} className="flex gap-2 px-pad py-1.5">
                {check.ok ? <CheckCircle2 aria-hidden className="mt-0.5 size-4 shrink-0 text-done" /> : <OctagonX aria-hidden className="mt-0.5 size-4 shrink-0 text-failed" />}
                <p className="min-w-0 flex-1 wrap-anywhere">
                  <span className="font-medium">{check.title}</span> <span className={check.ok ? "text-done" : "text-failed"}>{check.ok ? "OK" : "needs attention"}</span>
                  {check.detail && <span className="block text-sm text-ink-2">{check.detail}</span>}
                  {!check.ok && check.fix && <span className="block text-sm">{check.fix}</span>}
                </p>
              </li>
            ))}
          </ul>
        </section>

        <section aria-labelledby="ways" className="space-y-3">
          <h2 id="ways" className="text-lg font-semibold">1. Choose what answers {ready && <Ready />}</h2>
          {main !== "" && (
            <p role="status" className="flex flex-wrap items-center gap-2 rounded-md border border-done bg-done-soft p-3">
              <CheckCircle2 aria-hidden className="size-4 shrink-0 text-done" />
              <span className="min-w-48 flex-1 wrap-anywhere">A model is on this computer and will answer: <strong className="font-semibold">{main}</strong>. Nothing needs to be downloaded.</span>
              {installed.length > 1 && <a className="text-accent underline underline-offset-2" href={href("models")}>Choose another</a>}
            </p>
          )}
          <div className="grid gap-3 md:grid-cols-3">
            <Way icon={Download} title="Pull a model" text="Connects once to download, then works offline. It can be stopped and resumed.">
              {(models.data?.starters ?? []).map((starter) => (
                <div key={starter.name} className="space-y-0.5">
                  <Button small className="w-full" disabled={busy} onClick={() => once(call("pull_model", { name: starter.name }))}>{starter.name} ({bytes(starter.size)})</Button>
                  <p className="text-xs text-ink-2">{starter.why}</p>
                </div>
              ))}
            </Way>
            <Way icon={Download} title="Import a file" text="A GGUF file that is already on this laptop or on a stick.">
              <ImportButton kind="model" small>Choose a GGUF file</ImportButton>
            </Way>
            <Way icon={FlaskConical} title="Practice mode" text="A scripted model plays through the real engine. Every screen says that it does.">
              <Button small look={!ready ? "primary" : "plain"} disabled={busy || state.practice} onClick={() => once(call("set_practice", { on: true }))}>{state.practice ? "Practice mode is on" : "Use practice mode"}</Button>
            </Way>
          </div>
          {pulls.map((job) => <JobRow key={job.id} job={job} onResume={job.kind === "pull" ? () => void call("pull_model", { name: job.title.replace(/^\S+ /, "") }) : undefined} />)}
        </section>

        <DropZone><section aria-labelledby="records" className="space-y-3">
          <h2 id="records" className="text-lg font-semibold">2. Bring records {records && <Ready />}</h2>
          <div className="flex flex-wrap gap-2">
            <Button icon={Hospital} look={ready && !records ? "primary" : "plain"} disabled={busy || clinic.some((job) => job.status === "running")} onClick={() => once(call("import_sample"))}>Load the sample clinic</Button>
            <ImportButton kind="records">Import a file</ImportButton>
            <ImportButton kind="records" folder>Import a folder</ImportButton>
          </div>
          <p className="text-ink-2">{records ? `${state.counts.patients} patients and ${state.counts.providers} providers are here.` : "The sample clinic has made-up patients and providers."}</p>
          {clinic.map((job) => <JobRow key={job.id} job={job} />)}
        </section></DropZone>

        <section aria-labelledby="region" className="space-y-3">
          <h2 id="region" className="text-lg font-semibold">3. Say where help is called {state.region_chosen && <Ready />}</h2>
          <RegionSelect hint="When somebody is in danger, Holdpoint shows whom to call, from this machine, without a network. Numbers differ from country to country." />
        </section>

        <Button look={ready && records ? "primary" : "plain"} icon={ArrowRight} disabled={!ready} onClick={() => go("sessions", "new")}>{ready ? "Start the first session" : "Choose what answers first"}</Button>
      </div>
    </div>
  );
}

function Ready() {
  return <span className="ml-1 inline-flex items-center gap-1 text-sm font-medium text-done"><CheckCircle2 aria-hidden className="size-4" />Ready</span>;
}

function Way({ icon: Icon, title, text, children }: { icon: typeof Download; title: string; text: string; children: React.ReactNode }) {
  return (
    <section className="flex flex-col items-start gap-2 rounded-md border bg-surface p-pad">
      <h3 className="flex items-center gap-2 font-semibold"><Icon aria-hidden className="size-4 text-accent" />{title}</h3>
      <p className="flex-1 text-sm text-ink-2">{text}</p>
      {children}
    </section>
  );
}
