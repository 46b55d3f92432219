import { useRead } from "@/api/query";
import type { AppState } from "@/api/types";
import { meaningText } from "@/models/ModelsScreen";
import { t } from "@/text/language";
import { told } from "@/text/told";
import { ErrorNote, Loading } from "@/ui/Notice";
import { ShortId } from "@/ui/ShortId";

/** Which program this is, and whose work is inside it. */
export function About() {
  const { data, error, refetch } = useRead<AppState>("/api/state");
  if (error) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  const encoder = data.model.encoder;
  const parts = [data.flavour.desktop ? t("settings.windowOfItsOwn") : t("settings.pageInABrowser"), data.flavour.ollama ? t("settings.modelServerInside") : t("settings.modelServerBesideIt")];
  return (
    <>
      <section aria-label={t("settings.holdpoint")} className="rounded-md border bg-surface p-pad">
        <p className="font-medium">{t("settings.holdpoint2", { version: data.version })}</p>
        <p className="text-ink-2">{parts.join(", ")}</p>
        <p className="mt-2 text-ink-2">{told(data.safety_line)}</p>
      </section>
      {encoder && (
        <section aria-label={t("settings.sentenceEncoder")} className="rounded-md border bg-surface p-pad">
          <h3 className="font-medium">{encoder.title ?? t("settings.noSentenceEncoder")}</h3>
          {encoder.title && (
            <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
              <dt className="text-ink-2">{t("settings.licence")}</dt>
              <dd>{encoder.license}</dd>
              <dt className="text-ink-2">{t("settings.source")}</dt>
              <dd className="wrap-anywhere">{told(encoder.source ?? "")}</dd>
              {encoder.digest && (
                <>
                  <dt className="text-ink-2">{t("settings.digest")}</dt>
                  <dd><ShortId value={encoder.digest} what={t("settings.digestOfTheWeights")} /></dd>
                </>
              )}
            </dl>
          )}
          <p className="mt-2 text-ink-2">{meaningText(encoder)}</p>
          <p className="mt-1 text-ink-2">{t("settings.itRunsOnThisLaptopNothing")}</p>
        </section>
      )}
    </>
  );
}
