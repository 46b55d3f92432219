import { useRead } from "@/api/query";
import { ApiError } from "@/api/types";
import type { AppState } from "@/api/types";
import { isCountry } from "@/settings/Region";
import { Markdown } from "@/text/Markdown";
import { language, t, tIn } from "@/text/language";
import { visibleText } from "@/text/visible";
import { ErrorNote } from "@/ui/Notice";
import type { Numbers } from "./danger";

/** Nobody read the message for danger: the program is gone, or answers nothing that it would say of a message. */
const unread = (error: unknown): boolean => !(error instanceof ApiError) || error.status === 0 || error.status === 401 || error.status >= 500;

/**
 * Whom to call where somebody writes, read while the program answers: who is in danger when it does
 * not is told all the same. "" is the region of the app, and the language of the screens.
 */
export function useNumbers(region: string, to: string): Numbers {
  const state = useRead<AppState>("/api/state").data;
  const where = region ? (isCountry(region) ? region : "international") : state?.region_chosen ? state.region : "international";
  const query = new URLSearchParams({ category: "intent", speaker: "self", language: to || language(), region: where, check_in: "true", informal: "false", child: "false" });
  // What was read for another region or language before stays until this is.
  const keep = { staleTime: Number.POSITIVE_INFINITY, gcTime: Number.POSITIVE_INFINITY, placeholderData: (before: unknown) => before as { numbers?: Numbers } };
  return useRead<{ numbers?: Numbers }>(state ? `/api/help_text?${query}` : null, keep).data?.numbers ?? [];
}

/** Why a message was not sent, with the help that it gets all the same; numbers are those of useNumbers, in the language to. */
export function Unsent({ error, title, numbers, to }: { error: unknown; title: string; numbers: Numbers; to: string }) {
  const help = error instanceof ApiError ? error.help : "";
  return (
    <>
      {help && (
        <section data-help role="alert" tabIndex={0} aria-label={t("conversation.safetyIntervention")} className="max-h-[45vh] overflow-auto rounded-md border-2 border-failed bg-surface p-3 text-lg">
          <Markdown text={help} />
        </section>
      )}
      <ErrorNote error={error} title={title} />
      {unread(error) && numbers.length > 0 && (
        <p data-numbers lang={to || undefined} className="px-1 text-sm text-ink-2">
          {tIn(to, "conversation.ifSomebodyIsInDanger")}{" "}
          {numbers.map(({ name, call }, at) => (
            <span key={`${name} ${call}`}>{at > 0 && " · "}{name && `${visibleText(name)} `}<strong className="text-ink">{visibleText(call)}</strong></span>
          ))}
        </p>
      )}
    </>
  );
}
