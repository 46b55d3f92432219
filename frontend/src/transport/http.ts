import { ApiError, type AppEvent, type JournalEvent } from "@/api/types";
import { t } from "@/text/language";
import { follow } from "./follow";
import { keyHeader, takeKey } from "./key";
import { errorFrom, type Transport } from "./transport";

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
    response = await fetch(path, { credentials: "same-origin", ...init, headers: { ...init?.headers, ...keyHeader() } });
  } catch {
    throw new ApiError("unreachable", t("problems.holdpointDoesNotAnswer"), t("problems.checkThatItIsStillRunning"), t("problems.whatWasSavedIsSafe"));
  }
  return json<T>(response);
}

/** Reads over plain paths work the same in the browser and in the window's asset server. */
export const readPath = <T>(path: string) => request<T>(path, { headers: { Accept: "application/json" } });

/** Reads a picture as a data URL; an img element could not send the page's key. */
export async function readPicture(path: string): Promise<string> {
  const response = await fetch(path, { credentials: "same-origin", headers: keyHeader() });
  if (!response.ok) throw errorFrom(await response.text(), response.status);
  const blob = await response.blob();
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result));
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(blob);
  });
}

function parse<T>(text: string): T | null {
  try {
    return JSON.parse(text) as T;
  } catch {
    return null;
  }
}

export function httpTransport(): Transport {
  takeKey();
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
    uploadFiles: (kind, title, files) => {
      const form = new FormData();
      for (const { path, file } of files) form.append(path, file, file.name);
      // The browser names the boundary of the parts itself.
      return request(`/api/upload/${kind}?name=${encodeURIComponent(title)}`, { method: "POST", body: form });
    },
  };
}
