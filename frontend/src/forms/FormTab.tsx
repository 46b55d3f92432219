import { FileText } from "lucide-react";
import { useRead } from "@/api/query";
import type { Approval } from "@/api/types";
import type { TurnView } from "@/journal/view";
import { recordKinds } from "@/records/kinds";
import { href } from "@/shell/route";
import { t } from "@/text/language";
import { Empty, ErrorNote } from "@/ui/Notice";
import { State } from "@/ui/State";
import { shownStatus } from "@/approvals/ApprovalCard";
import { Cards } from "./Cards";
import { FormView } from "./FormView";
import { MapAt } from "./Map";
import { recordsOf } from "./changed";

/** The form of a turn beside the conversation, with the map: as it waits, or as it was signed. */
export function FormTab({ turn }: { turn: TurnView }) {
  // What was asked last counts; a hold that asks anew has another id.
  const last = turn.approvalOrder.at(-1);
  const status = last ? turn.approvals[last]!.status : "";
  const digest = last ? turn.approvals[last]!.digest : "";
  const read = useRead<Approval>(last ? `/api/approvals/${encodeURIComponent(last)}?brief=1&of=${encodeURIComponent(status + digest)}` : null);
  const form = read.data?.form;
  const change = read.data?.changes?.find(({ ref }) => recordKinds()[ref.type]?.form);
  return (
    <div className="space-y-4 p-3">
      {read.error && <ErrorNote error={read.error} title={t("forms.theFormCouldNotBeRead")} retry={() => void read.refetch()} />}
      {form && read.data ? (
        <>
          <p className="flex flex-wrap items-center gap-x-3">
            <State name={shownStatus(read.data)} />
            {read.data.status === "pending" && <a className="text-accent underline underline-offset-2" href={href("approvals", read.data.id)}>{t("forms.decideOnIt")}</a>}
            {read.data.status === "used" && change && <a className="text-accent underline underline-offset-2" href={href("records", change.ref.type, change.ref.id)}>{t("forms.openTheSignedForm")}</a>}
          </p>
          <FormView key={read.data.digest} form={form} before={read.data.form_before} />
        </>
      ) : (
        !read.error && !read.isLoading && <Empty icon={FileText} title={t("forms.noFormYet")}>{t("forms.whenTheAgentHasPutAForm")}</Empty>
      )}
      <MapAt path={`/api/turns/${encodeURIComponent(turn.id)}/map`} />
      {form && (
        <section aria-label={t("forms.recordsThatItIsMadeOf")} className="space-y-2">
          <h4 className="font-semibold">{t("forms.recordsThatItIsMadeOf")}</h4>
          <Cards refs={recordsOf(form)} />
        </section>
      )}
    </div>
  );
}
