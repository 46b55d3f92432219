import type { Json } from "@/api/types";
import { useBlob } from "@/api/blob";
import { blobOf } from "@/journal/blob";
import { href } from "@/shell/route";
import { visibleText } from "@/text/visible";
import { PlainText, Value } from "./Value";

const words = {
  told: "What the model was told", texts: "Compiled of", change: "see Texts in Settings",
  role: { system: "Instructions", user: "Message", assistant: "Model", tool: "Tool" } as Record<string, string>,
};

/** The prompt of one call of a model as it was sent, message by message, with the texts that it was compiled of. */
export function Prompt({ prompt, texts }: { prompt: Json | undefined; texts: readonly string[] }) {
  const whole = blobOf(prompt ?? null);
  const { data } = useBlob(whole);
  const messages = read(data) ?? (Array.isArray(prompt) ? prompt : null);
  return (
    <div className="space-y-2">
      <p className="text-sm font-medium">{words.told}</p>
      {texts.length > 0 && (
        <p className="text-sm text-ink-2 wrap-anywhere">
          {words.texts}: <span className="font-mono">{texts.map(visibleText).join(", ")}</span> (<a className="text-accent underline underline-offset-2" href={href("settings", "texts")}>{words.change}</a>)
        </p>
      )}
      {messages === null ? (
        <Value value={prompt} label={words.told} />
      ) : (
        messages.map((one, index) => {
          const message = (one ?? {}) as Record<string, Json>;
          const role = typeof message.role === "string" ? message.role : "";
          return (
            <div key={index}>
              <p className="mb-1 text-xs text-ink-2">{words.role[role] ?? visibleText(role)}</p>
              {typeof message.text === "string" && message.text !== "" && <PlainText text={message.text} label={words.role[role] ?? role} />}
              {message.calls !== undefined && <Value value={message.calls} label="calls" />}
            </div>
          );
        })
      )}
    </div>
  );
}

function read(body: string | undefined): Json[] | null {
  if (body === undefined) return null;
  try {
    const value = JSON.parse(body) as Json;
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
