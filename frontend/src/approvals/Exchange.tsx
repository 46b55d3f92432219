import { FileInput, FileOutput, Pencil } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import type { Approval, Json } from "@/api/types";
import { t } from "@/text/language";
import { told } from "@/text/told";
import { visibleText } from "@/text/visible";
import { transport } from "@/transport";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Field } from "@/ui/Field";
import { ErrorNote } from "@/ui/Notice";
import { say, sayError } from "@/ui/toasts";
import { saveJson, type RequestView } from "./exchange";
import { argsOf, fieldsOf, filled, problemOf } from "./form";
import { ModifyForm } from "./ModifyForm";

/** A request as a file, for a colleague who signs it in their own Holdpoint. */
export function ForColleague({ approval }: { approval: Approval }) {
  const [busy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    try {
      const request = await transport().call<Json>("export_request", { id: approval.id });
      await saveJson(`holdpoint-${approval.digest.replace(/^sha256:/, "").slice(0, 8)}-request.json`, request);
      say(t("approvals.requestSaved"));
    } catch (error) {
      sayError(error);
    } finally {
      setBusy(false);
    }
  };
  return <Button look="quiet" small icon={FileOutput} disabled={busy} onClick={() => void send()}>{t("approvals.fileForAColleague")}</Button>;
}

/** Opens a file of a request: a colleague's is shown and signed, one of ours that was signed is taken back. */
export function OpenRequest() {
  const input = useRef<HTMLInputElement>(null);
  const [asked, setAsked] = useState<{ file: Json; view: RequestView } | null>(null);
  const open = async (chosen: File) => {
    try {
      let file: Json;
      try {
        file = JSON.parse(await chosen.text()) as Json;
      } catch {
        throw new Error(t("approvals.noRequestFile"));
      }
      const view = await transport().call<RequestView>("view_request", { file });
      if (view.own && view.signed) {
        const { approval } = await transport().call<{ approval: Approval }>("import_verdict", { file });
        say(approval.status === "pending" ? t("approvals.changesTakenBack") : t("approvals.verdictTakenBack"));
      } else setAsked({ file, view });
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <>
      <Button small icon={FileInput} onClick={() => input.current?.click()}>{t("approvals.openAFile")}</Button>
      <input
        ref={input}
        type="file"
        hidden
        accept=".json"
        aria-label={t("approvals.fileOfARequest")}
        onChange={(event) => {
          const [chosen] = event.target.files ?? [];
          if (chosen) void open(chosen);
          event.target.value = "";
        }}
      />
      {asked && <Sign key={asked.view.digest} file={asked.file} view={asked.view} onClose={() => setAsked(null)} />}
    </>
  );
}

function Sign({ file, view, onClose }: { file: Json; view: RequestView; onClose(): void }) {
  const [reviewer, setReviewer] = useState(view.reviewer);
  const [passphrase, setPassphrase] = useState("");
  const [comment, setComment] = useState("");
  const [meaning, setMeaning] = useState("");
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const fields = useMemo(() => fieldsOf({ args: view.args, parameters: view.parameters, targets: [] }), [view]);
  const [changes, setChanges] = useState(false);
  const [draft, setDraft] = useState<Record<string, Json | undefined>>(() => argsOf(view.args));
  const [checked, setChecked] = useState(false);
  const sign = async (approve: boolean, changed: boolean) => {
    if (changed) {
      setChecked(true);
      if (fields?.some((field) => problemOf(field, draft[field.name]))) return;
    }
    setBusy(true);
    setFailure(null);
    try {
      const signed = await transport().call<Json>("sign_request", { file, approve, ...(changed ? { args: filled(draft, fields ?? []) } : {}), reviewer: reviewer.trim(), passphrase, comment: comment.trim(), meaning: meaning.trim() });
      await saveJson(`holdpoint-${view.digest.replace(/^sha256:/, "").slice(0, 8)}-signed.json`, signed);
      say(t("approvals.signedSendItBack"));
      onClose();
    } catch (error) {
      setFailure(error);
    } finally {
      setPassphrase("");
      setBusy(false);
    }
  };
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={told(visibleText(view.title))} wide>
      <div className="space-y-3">
        <p className="text-ink-2">{view.own ? t("approvals.ownRequestUnsigned") : t("approvals.colleaguesRequest")}</p>
        <pre className="max-h-[50vh] overflow-auto rounded-md border bg-sunken p-3 font-mono text-xs whitespace-pre-wrap wrap-anywhere" tabIndex={0} role="region" aria-label={t("approvals.theRequest")}>{visibleText(view.text)}</pre>
        {!view.own && (
          <>
            {fields && <Button look="quiet" small icon={Pencil} aria-expanded={changes} onClick={() => setChanges(!changes)}>{changes ? t("approvals.signAsAsked") : t("approvals.fillInOrChange")}</Button>}
            {fields && changes && (
              <div className="max-h-[50vh] space-y-2 overflow-auto rounded-md border border-accent p-pad">
                <ModifyForm fields={fields} args={draft} form={view.form ?? null} checked={checked} change={(name, value) => setDraft({ ...draft, [name]: value })} />
                <p className="text-xs text-ink-2">{t("approvals.whatYouChangeIsSigned")}</p>
              </div>
            )}
            <div className="grid gap-3 sm:grid-cols-2">
              <Field label={t("approvals.reviewer")} value={reviewer} autoComplete="name" onChange={(event) => setReviewer(event.target.value)} />
              <Field label={t("approvals.passphrase")} type="password" autoComplete="off" value={passphrase} onChange={(event) => setPassphrase(event.target.value)} />
              {view.risk_high && <Field label={t("approvals.meaningOfYourSignature")} value={meaning} onChange={(event) => setMeaning(event.target.value)} />}
              <Field label={t("approvals.commentOrReason")} value={comment} onChange={(event) => setComment(event.target.value)} />
            </div>
            {failure !== null && <ErrorNote error={failure} />}
            <div className="flex flex-wrap gap-2">
              <Button look="primary" disabled={busy || !reviewer.trim() || !passphrase} onClick={() => void sign(true, changes)}>{changes ? t("approvals.signApprovalAsChanged") : t("approvals.signApproval")}</Button>
              {changes ? (
                <Button disabled={busy || !reviewer.trim() || !passphrase} onClick={() => void sign(false, true)}>{t("approvals.signFilledIn")}</Button>
              ) : (
                <Button look="danger" disabled={busy || !reviewer.trim() || !passphrase || !comment.trim()} onClick={() => void sign(false, false)}>{t("approvals.signRejection")}</Button>
              )}
            </div>
          </>
        )}
      </div>
    </Dialog>
  );
}
