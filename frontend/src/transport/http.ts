import { ApiError, type AppEvent, type JournalEvent } from "@/api/types";
import { errorFrom, type LinkState, type Transport } from "./transport";

/** The server writes a comment line every 15 s, but EventSource hides those, so only a closed or erroring stream counts. */
const RETRY_MS = [250, 500, 1000, 2000, 5000];

async function json<T>(response: Response): Promise<T> {
  const text = await response.text();
  if (!response.ok) throw errorFrom(text, response.status);
  try {
    return JSON.parse(text) as T;
  } catch {
    throw errorFrom(text, response.status);
  }
}

async function request<T>(path: string, init?: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, { credentials: "same-origin", ...init });
  } catch {
    throw new ApiError("unreachable", "Holdpoint does not answer.", "Check that it is still running; this page reconnects by itself.", "What was saved is safe.");
  }
  return json<T>(response);
}

/** Reads over plain paths work the same in the browser and in the window's asset server. */
export const readPath = <T>(path: string) => request<T>(path, { headers: { Accept: "application/json" } });

/**
 * Keeps one EventSource open. `url` is asked anew at each connection so that it
 * continues after the last event that was applied.
 */
function follow(url: () => string, onData: (text: string) => void, onLink?: (link: LinkState) => void): () => void {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let closed = false;

  const connect = () => {
    if (closed) return;
    onLink?.(failures ? "lost" : "connecting");
    const mine = new EventSource(url());
    source = mine;
    mine.onopen = () => {
      failures = 0;
      onLink?.("live");
    };
    mine.onmessage = (message) => {
      if (!closed && source === mine) onData(message.data as string);
    };
    mine.onerror = () => {
      if (closed || source !== mine) return;
      // The browser's own retry would ask again from the address's old position.
      mine.close();
      onLink?.("lost");
      clearTimeout(timer);
      timer = setTimeout(connect, RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)]);
    };
  };
  // A laptop that wakes, or a tab that comes back, should not wait for the next retry.
  const wake = () => {
    if (closed || document.visibilityState === "hidden") return;
    if (!source || source.readyState === EventSource.CLOSED) {
      clearTimeout(timer);
      connect();
    }
  };
  connect();
  document.addEventListener("visibilitychange", wake);
  window.addEventListener("online", wake);
  return () => {
    closed = true;
    clearTimeout(timer);
    source?.close();
    document.removeEventListener("visibilitychange", wake);
    window.removeEventListener("online", wake);
  };
}

function parse<T>(text: string): T | null {
  try {
    return JSON.parse(text) as T;
  } catch {
    return null;
  }
}

export function httpTransport(): Transport {
  return {
    kind: "http",
    read: readPath,
    call: (name, body) =>
      request(`/api/call/${encodeURIComponent(name)}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body ?? {}),
      }),
    journal: (session, after, onEvent, onLink) =>
      follow(
        () => `/api/sessions/${encodeURIComponent(session)}/stream?after=${after()}`,
        (text) => {
          const event = parse<JournalEvent>(text);
          if (event) onEvent(event);
        },
        onLink,
      ),
    app: (onEvent, onLink) =>
      follow(
        () => "/api/stream",
        (text) => {
          const event = parse<AppEvent>(text);
          if (event) onEvent(event);
        },
        onLink,
      ),
    upload: (kind, file) =>
      request(`/api/upload/${kind}?name=${encodeURIComponent(file.name)}`, {
        method: "POST",
        headers: { "Content-Type": "application/octet-stream" },
        body: file,
      }),
  };
}
