import { CloudOff } from "lucide-react";
import { useEffect, useState } from "react";
import { t } from "@/text/language";
import { transport, type LinkState } from "@/transport";

/** After how long without an answer it is likely that Holdpoint is somewhere else by now, in ms. */
const LATE = 15_000;

/** Holdpoint does not answer, and not just for a moment: one that was started anew has another address, which this page cannot know. */
export function Away({ link }: { link: LinkState }) {
  const [late, setLate] = useState(false);
  const lost = link === "lost" && transport().kind !== "wails";
  useEffect(() => {
    setLate(false);
    if (!lost) return;
    const timer = setTimeout(() => setLate(true), LATE);
    return () => clearTimeout(timer);
  }, [lost]);
  if (!lost || !late) return null;
  return (
    <div role="alert" className="flex shrink-0 gap-3 border-b border-failed bg-failed-soft px-pad py-2">
      <CloudOff aria-hidden className="mt-0.5 size-4 shrink-0 text-failed" />
      <p className="min-w-0 flex-1 font-medium wrap-anywhere">{t("shell.itsAddressMayBeANewOne")}</p>
    </div>
  );
}
