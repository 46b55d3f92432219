import { TriangleAlert } from "lucide-react";
import { t } from "@/text/language";

/** The mark of what a very small model wrote. */
export function Weak() {
  return (
    <p className="flex items-start gap-1.5 text-sm text-degraded">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      {t("conversation.verySmallModel")}
    </p>
  );
}
