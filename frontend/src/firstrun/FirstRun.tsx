import { ArrowRight, CheckCircle2, CircleHelp, Download, FlaskConical, Hospital, OctagonX, RotateCw } from "lucide-react";
import { useState } from "react";
import type { AppState, Check, ModelList } from "@/api/types";
import { queryClient, useRead } from "@/api/query";
import { DropZone } from "@/models/DropZone";
import { ImportButton } from "@/models/ImportButton";
import { JobRow } from "@/models/JobRow";
import { useJobsOf } from "@/models/jobs";
import { LanguageSelect } from "@/settings/Language";
import { RegionSelect } from "@/settings/Region";
import { go, href } from "@/shell/route";
import { bytes } from "@/text/format";
import { rich, t } from "@/text/language";
import { problemText } from "@/text/problem";
import { told } from "@/text/told";
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
  const wanting = (checks.data ?? []).filter((check) => !check.ok || check.open);
  const fine = (checks.data ?? []).filter((check) => check.ok && !check.open);
  // The server names a model in use only once it was asked; what is installed can answer.
  const installed = (models.data?.models ?? []).filter((model) => (model.capabilities ?? ["completion"]).includes("completion"));
  // Practice mode names a script as what answers; it is no model and nothing on this laptop.
  const main = state.practice ? "" : state.model.main?.name || models.data?.roles.main || installed[0]?.name || "";
  const ready = main !== "" || state.practice;
  const records = state.counts.records > 0;
  const once = (run: Promise<unknown>) => {
    setBusy(true);
    void run.finally(() => setBusy(false));
  };

  return (
    <div className="h-full overflow-auto">
      <div className="mx-auto max-w-3xl space-y-6 p-6">
        <header>
          <h1 className="text-2xl font-semibold">{t("firstRun.welcomeToHoldpoint")}</h1>
          <p className="mt-1 text-lg text-ink-2">{t("firstRun.anAgentReadsRecordsAndAnswers")}</p>
        </header>

        <LanguageSelect />

        <section aria-labelledby="checks" className="rounded-md border bg-surface">
          <div className="flex items-center justify-between border-b px-pad py-2">
            <h2 id="checks" className="font-semibold">{t("firstRun.thisLaptop")}</h2>
            <Button small look="quiet" icon={RotateCw} onClick={() => void checks.refetch()}>{t("firstRun.checkAgain")}</Button>
          </div>
          {checks.error && <div className="p-pad"><ErrorNote error={checks.error} /></div>}
          {checks.isPending && <Loading what={t("firstRun.checking")} />}
          <Checks of={wanting} />
          {fine.length > 0 && (
            <details className={wanting.length > 0 ? "border-t" : ""}>
              <summary className="cursor-pointer rounded-md px-pad py-2">
                <CheckCircle2 aria-hidden className="mr-2 inline size-4 text-done" />{t("firstRun.whatIsInOrder", { count: fine.length })}
              </summary>
              <Checks of={fine} />
            </details>
          )}
        </section>

        <section aria-labelledby="ways" className="space-y-3">
          <h2 id="ways" className="text-lg font-semibold">{t("firstRun.n1ChooseWhatAnswers")} {ready && <Ready />}</h2>
          {main !== "" && (
            <p role="status" className="flex flex-wrap items-center gap-2 rounded-md border border-done bg-done-soft p-3">
              <CheckCircle2 aria-hidden className="size-4 shrink-0 text-done" />
              <span className="min-w-48 flex-1 wrap-anywhere">{rich("firstRun.aModelIsOnThisComputer", { main, strong: (chunks) => <strong className="font-semibold">{chunks}</strong> })}</span>
              {installed.length > 1 && <a className="text-accent underline underline-offset-2" href={href("models")}>{t("firstRun.chooseAnother")}</a>}
            </p>
          )}
          <div className="grid gap-3 md:grid-cols-3">
            <Way icon={Download} title={t("firstRun.pullAModel")} text={t("firstRun.connectsOnceToDownloadThenWorks")}>
              {(models.data?.starters ?? []).map((starter) => (
                <div key={starter.name} className="w-full space-y-0.5">
                  <Button small className="w-full" disabled={busy} onClick={() => once(call("pull_model", { name: starter.name }))}>{starter.name} ({bytes(starter.size)})</Button>
                  <p className="text-xs text-ink-2">{told(starter.why)}</p>
                </div>
              ))}
            </Way>
            <Way icon={Download} title={t("firstRun.importAFile")} text={t("firstRun.aGgufFileThatIsAlready")}>
              <ImportButton kind="model" small>{t("firstRun.chooseAGgufFile")}</ImportButton>
            </Way>
            <Way icon={FlaskConical} title={t("firstRun.practiceMode")} text={t("firstRun.aScriptedModelPlaysThroughThe")}>
              <Button small look={!ready ? "primary" : "plain"} disabled={busy || state.practice} onClick={() => once(call("set_practice", { on: true }))}>{state.practice ? t("firstRun.practiceModeIsOn") : t("firstRun.usePracticeMode")}</Button>
            </Way>
          </div>
          {pulls.map((job) => <JobRow key={job.id} job={job} onResume={job.kind === "pull" ? () => void call("pull_model", { name: job.title.replace(/^\S+ /, "") }) : undefined} />)}
        </section>

        <DropZone kind="records"><section aria-labelledby="records" className="space-y-3">
          <h2 id="records" className="text-lg font-semibold">{t("firstRun.n2BringRecords")} {records && <Ready />}</h2>
          <div className="flex flex-wrap gap-2">
            <Button icon={Hospital} look={ready && !records ? "primary" : "plain"} disabled={busy || clinic.some((job) => job.status === "running")} onClick={() => once(call("import_sample"))}>{t("firstRun.loadTheSampleClinic")}</Button>
            <ImportButton kind="records">{t("firstRun.importAFile")}</ImportButton>
            <ImportButton kind="records" folder>{t("firstRun.importAFolder")}</ImportButton>
          </div>
          <p className="text-ink-2">{records ? (state.counts.patients > 0 ? t("firstRun.patientsAndProvidersAreHere", { patients: state.counts.patients, providers: state.counts.providers }) : t("firstRun.recordsAreHere", { records: state.counts.records })) : t("firstRun.theSampleClinicHasMadeUp")}</p>
          {clinic.map((job) => <JobRow key={job.id} job={job} />)}
        </section></DropZone>

        <section aria-labelledby="region" className="space-y-3">
          <h2 id="region" className="text-lg font-semibold">{t("firstRun.n3SayWhereHelpIsCalled")} {state.region_chosen && <Ready />}</h2>
          <RegionSelect hint={t("firstRun.whenSomebodyIsInDangerHoldpoint")} />
        </section>

        <Button look={ready && records ? "primary" : "plain"} icon={ArrowRight} disabled={!ready} onClick={() => go("sessions", "new")}>{ready ? t("firstRun.startTheFirstSession") : t("firstRun.chooseWhatAnswersFirst")}</Button>
        {!ready && (
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Button aria-describedby="without" onClick={() => go("sessions", "new")}>{t("firstRun.writeWithoutAModel")}</Button>
            <span id="without" className="min-w-48 flex-1 text-sm text-ink-2">{t("firstRun.helpInDangerAndFactsOnly")}</span>
          </p>
        )}
      </div>
    </div>
  );
}

function Checks({ of }: { of: Check[] }) {
  if (of.length === 0) return null;
  return (
    <ul className="grid gap-x-4 py-1 sm:grid-cols-2">
      {of.map((check) => (
        <li key={check.id} className="flex gap-2 px-pad py-1.5">
          {check.open ? <CircleHelp aria-hidden className="mt-0.5 size-4 shrink-0 text-ink-3" /> : check.ok ? <CheckCircle2 aria-hidden className="mt-0.5 size-4 shrink-0 text-done" /> : <OctagonX aria-hidden className="mt-0.5 size-4 shrink-0 text-failed" />}
          <p className="min-w-0 flex-1 wrap-anywhere">
            <span className="font-medium">{told(check.title)}</span> {!check.open && <span className={check.ok ? "text-done" : "text-failed"}>{check.ok ? t("firstRun.ok") : t("firstRun.needsAttention")}</span>}
            {check.detail && <span className="block text-sm text-ink-2">{problemText(check.detail).message}</span>}
            {check.open && <a className="text-sm text-accent underline underline-offset-2" href={href("models")}>{t("firstRun.checkItUnderModels")}</a>}
            {!check.ok && check.fix && <span className="block text-sm">{told(check.fix)}</span>}
          </p>
        </li>
      ))}
    </ul>
  );
}

function Ready() {
  return <span className="ml-1 inline-flex items-center gap-1 text-sm font-medium text-done"><CheckCircle2 aria-hidden className="size-4" />{t("firstRun.ready")}</span>;
}

function Way({ icon: Icon, title, text, children }: { icon: typeof Download; title: string; text: string; children: React.ReactNode }) {
  return (
    <section className="flex min-w-0 flex-col items-start gap-2 rounded-md border bg-surface p-pad [&_button]:!whitespace-normal">
      <h3 className="flex items-center gap-2 font-semibold"><Icon aria-hidden className="size-4 text-accent" />{title}</h3>
      <p className="text-sm text-ink-2">{text}</p>
      {children}
    </section>
  );
}
