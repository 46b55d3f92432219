import { TriangleAlert } from "lucide-react";
import { useRead } from "@/api/query";
import type { ToolServer } from "@/api/types";
import { href } from "@/shell/route";
import { t } from "@/text/language";
import { visibleText } from "@/text/visible";

/** Says on every screen that a server is not what was trusted; its tools are off until somebody looks. */
export function ServerNotice() {
  const read = useRead<ToolServer[] | null>("/api/servers", { staleTime: 60_000 });
  const changed = (read.data ?? []).filter(({ status }) => status === "changed");
  if (changed.length === 0) return null;
  return (
    <section aria-label={t("settings.serversThatChanged")} className="flex shrink-0 flex-wrap items-center gap-x-3 border-b border-degraded bg-degraded-soft px-pad py-1.5">
      <TriangleAlert aria-hidden className="size-4 shrink-0 text-degraded" />
      <p className="min-w-48 flex-1 wrap-anywhere">
        <span className="font-semibold">{changed.map(({ title, id }) => visibleText(title || id)).join(", ")}</span> {t("settings.changedSinceYouTrustedThemTheir", { changed: changed.length })}
      </p>
      <a href={href("settings", "servers")} className="font-medium text-accent underline underline-offset-2">{t("settings.lookAtWhatChanged")}</a>
    </section>
  );
}
