import { OctagonX } from "lucide-react";
import { inEach } from "@/text/language";

/** This page's key is no longer valid. In which language it is read is not known for sure any more. */
export function Anew() {
  return (
    <div role="alert" className="flex shrink-0 gap-3 border-b border-failed bg-failed-soft px-pad py-2">
      <OctagonX aria-hidden className="mt-0.5 size-4 shrink-0 text-failed" />
      <div className="min-w-0 flex-1">
        {inEach("problems.holdpointWasStartedAnew").map(([language, text]) => <p key={language} lang={language} className="font-medium wrap-anywhere">{text}</p>)}
      </div>
    </div>
  );
}
