import type { Approval, RecordFull, Session } from "@/api/types";
import { useRead } from "@/api/query";
import { useRoute } from "./route";

/** The patient that what is on the screen is about: of the session, the approval or the record. */
export function useCase(): { patient: string; reading: boolean } {
  const { screen, first, second } = useRoute();
  const fresh = screen === "sessions" && first === "new";
  const session = (screen === "sessions" || screen === "memory") && first && !fresh ? first : null;
  const chosen = fresh ? second : "";
  const record = screen === "records" && first && second ? `/api/records/${encodeURIComponent(first)}/${encodeURIComponent(second)}` : chosen ? `/api/records/Patient/${encodeURIComponent(chosen)}` : null;
  const approval = screen === "approvals" && first ? first : null;

  const ofSession = useRead<Session>(session ? `/api/sessions/${encodeURIComponent(session)}` : null);
  const ofRecord = useRead<RecordFull>(record);
  // From the list: reading one approval gives out a one-time key.
  const ofApproval = useRead<{ approvals: Approval[] | null }>(approval ? "/api/approvals?status=all" : null);

  if (session) return { patient: ofSession.data?.patient_name || ofSession.data?.patient || "", reading: ofSession.isPending };
  if (record) return { patient: ofRecord.data?.patient?.name || chosen, reading: ofRecord.isPending };
  if (approval) return { patient: ofApproval.data?.approvals?.find((one) => one.id === approval)?.patient_name ?? "", reading: ofApproval.isPending };
  return { patient: "", reading: false };
}
