import { createParser } from "eventsource-parser";
import { keyHeader } from "./key";
import type { LinkState } from "./transport";

const RETRY_MS = [250, 500, 1000, 2000, 5000];

/** The server writes a comment line every 15 s: silence for longer than two of them is a dead connection. */
const SILENCE_MS = 40_000;

/**
 * Keeps one stream of server-sent events open, with the page's key, which the browser's
 * own EventSource cannot carry. `url` is asked anew at each connection so that it
 * continues after the last event that was applied.
 */
export function follow(url: () => string, onData: (text: string) => void, onLink?: (link: LinkState) => void): () => void {
  let current: AbortController | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let closed = false;

  const connect = async () => {
    if (closed) return;
    clearTimeout(timer);
    onLink?.(failures ? "lost" : "connecting");
    const mine = new AbortController();
    current = mine;
    let silence: ReturnType<typeof setTimeout> | undefined;
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(() => mine.abort(), SILENCE_MS);
    };
    const parser = createParser({
      onEvent: (event) => {
        // A named event is a fault; the connection ends with it.
        if (!event.event && !mine.signal.aborted) onData(event.data);
      },
    });
    try {
      heard();
      const response = await fetch(url(), {
        credentials: "same-origin",
        headers: { Accept: "text/event-stream", ...keyHeader() },
        signal: mine.signal,
      });
      if (response.status === 401) {
        clearTimeout(silence);
        stop();
        onLink?.("refused");
        return;
      }
      if (response.ok && response.body) {
        failures = 0;
        onLink?.("live");
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        for (let part = await reader.read(); !part.done; part = await reader.read()) {
          heard();
          parser.feed(part.value);
        }
      }
    } catch {
      // Cut off, refused or aborted: all the same, it is tried again.
    }
    clearTimeout(silence);
    if (closed || current !== mine) return;
    current = null;
    onLink?.("lost");
    timer = setTimeout(() => void connect(), RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)]);
  };
  // A laptop that wakes, or a tab that comes back, should not wait for the next retry.
  const wake = () => {
    if (!closed && !current && document.visibilityState !== "hidden") void connect();
  };
  const stop = () => {
    closed = true;
    clearTimeout(timer);
    current?.abort();
    document.removeEventListener("visibilitychange", wake);
    window.removeEventListener("online", wake);
  };
  document.addEventListener("visibilitychange", wake);
  window.addEventListener("online", wake);
  void connect();
  return stop;
}
