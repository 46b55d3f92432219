import { ApiError, type AppEvent, type JournalEvent } from "@/api/types";
import { readPath } from "./http";
import type { Transport } from "./transport";

interface WailsWindow {
  go?: { desktop?: { Bridge?: { Call(name: string, body: string): Promise<string> } } };
  runtime?: {
    EventsOn(name: string, handler: (event: unknown) => void): () => void;
    BrowserOpenURL(url: string): void;
    OnFileDrop?(handler: (x: number, y: number, paths: string[]) => void, useDropTarget: boolean): void;
    OnFileDropOff?(): void;
  };
}

const host = () => window as unknown as WailsWindow;

/** Whether this page runs in Holdpoint's own window. */
export const inWindow = () => Boolean(host().go?.desktop?.Bridge && host().runtime);

export function wailsTransport(): Transport {
  const call = async <T>(name: string, body?: unknown): Promise<T> => {
    const text = await host().go!.desktop!.Bridge!.Call(name, JSON.stringify(body ?? {}));
    const answer = JSON.parse(text) as { ok?: T; error?: { code: string; message: string; hint: string; safe: string } };
    if (answer.error) throw new ApiError(answer.error.code, answer.error.message, answer.error.hint, answer.error.safe);
    return answer.ok as T;
  };
  return {
    kind: "wails",
    read: readPath,
    call,
    journal: (session, after, onEvent, onLink) => {
      let closed = false;
      // Live events first, then the stored ones: what arrives twice is dropped by its number.
      const off = host().runtime!.EventsOn("journal", (raw) => {
        const event = raw as JournalEvent;
        if (!closed && event.session === session) onEvent(event);
      });
      const backfill = async () => {
        let from = after();
        while (!closed) {
          const page = await readPath<{ events: JournalEvent[] | null; last: number }>(
            `/api/sessions/${encodeURIComponent(session)}/journal?after=${from}&limit=500`,
          );
          const events = page.events ?? [];
          for (const event of events) if (!closed) onEvent(event);
          const last = events.at(-1)?.seq;
          if (!last || last >= page.last) break;
          from = last;
        }
        if (!closed) onLink?.("live");
      };
      onLink?.("connecting");
      backfill().catch(() => onLink?.("lost"));
      return () => {
        closed = true;
        off();
      };
    },
    app: (onEvent, onLink) => {
      onLink?.("live");
      return host().runtime!.EventsOn("app", (raw) => onEvent(raw as AppEvent));
    },
    pickFile: async (kind) => (await call<{ path: string }>("pick_file", { kind })).path,
    onDropped: (handler) => {
      host().runtime!.OnFileDrop?.((_x, _y, paths) => handler(paths), false);
      return () => host().runtime!.OnFileDropOff?.();
    },
    openExternal: (href) => host().runtime!.BrowserOpenURL(href),
  };
}
