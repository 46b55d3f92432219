import { useRead } from "@/api/query";
import type { AppState } from "@/api/types";
import { meaningText } from "@/models/ModelsScreen";
import { ErrorNote, Loading } from "@/ui/Notice";
import { ShortId } from "@/ui/ShortId";

/** Which program this is, and whose work is inside it. */
export function About() {
  const { data, error, refetch } = useRead<AppState>("/api/state");
  if (error) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  const encoder = data.model.encoder;
  const parts = [data.flavour.desktop ? "window" : "page in a browser", data.flavour.ollama ? "model server inside" : "model server beside it"];
  return (
    <>
      <section aria-label="Holdpoint" className="rounded-md border bg-surface p-pad">
        <p className="font-medium">Holdpoint {data.version}</p>
        <p className="text-ink-2">{parts.join(", ")}</p>
        <p className="mt-2 text-ink-2">{data.safety_line}</p>
      </section>
      {encoder && (
        <section aria-label="Sentence encoder" className="rounded-md border bg-surface p-pad">
          <h3 className="font-medium">{encoder.title ?? "No sentence encoder"}</h3>
          {encoder.title && (
            <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
              <dt className="text-ink-2">Licence</dt>
              <dd>{encoder.license}</dd>
              <dt className="text-ink-2">Source</dt>
              <dd className="wrap-anywhere">{encoder.source}</dd>
              {encoder.digest && (
                <>
                  <dt className="text-ink-2">Digest</dt>
                  <dd><ShortId value={encoder.digest} what="digest of the weights" /></dd>
                </>
              )}
            </dl>
          )}
          <p className="mt-2 text-ink-2">{meaningText(encoder)}</p>
          <p className="mt-1 text-ink-2">It runs on this laptop; nothing is sent anywhere.</p>
        </section>
      )}
    </>
  );
}
