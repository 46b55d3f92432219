import { t } from "@/text/language";
import { visibleName } from "@/text/visible";

/** A reviewer's name with by what it is known; older stores do not say. */
export function reviewerName(name: string, identity: string | undefined): string {
  const shown = visibleName(name);
  switch (identity) {
    case "typed": return t("approvals.nameTyped", { name: shown });
    case "account": return t("approvals.nameOfAccount", { name: shown });
    case "passphrase": return t("approvals.nameWithPassphrase", { name: shown });
    case "signature": return t("approvals.nameWithSignature", { name: shown });
    default: return shown;
  }
}
