import { Fragment } from "react";
import type { Json } from "@/api/types";
import { useBlob } from "@/api/blob";
import { blobOf } from "@/journal/blob";
import { href } from "@/shell/route";
import { t } from "@/text/language";
import { visibleText } from "@/text/visible";
import { PlainText, Value } from "./Value";

/** The prompt of one request to a model as it was sent, message by message, with the texts that it was compiled of. */
export function Prompt({ prompt, texts }: { prompt: Json | undefined; texts: readonly string[] }) {
  const whole = blobOf(prompt ?? null);
  const { data } = useBlob(whole);
  const messages = read(data) ?? (Array.isArray(prompt) ? prompt : null);
  return (
    <div className="space-y-2">
      <p className="text-sm font-medium">{t("inspector.promptTold")}</p>
      {texts.length > 0 && (
        <p className="text-sm text-ink-2 wrap-anywhere">
          {t("inspector.promptTexts")}: <span className="font-mono">{texts.map((name, n) => <Fragment key={name}>{n > 0 && ", "}<a className="text-accent underline underline-offset-2" href={href("settings", "texts", name)}>{visibleText(name)}</a></Fragment>)}</span> (<a className="text-accent underline underline-offset-2" href={href("settings", "texts")}>{t("inspector.promptChange")}</a>)
        </p>
      )}
      {messages === null ? (
        <Value value={prompt} label={t("inspector.promptTold")} />
      ) : (
        messages.map((one, index) => {
          const message = (one ?? {}) as Record<string, Json>;
          const role = typeof message.role === "string" ? message.role : "";
          return (
            <div key={index}>
              <p className="mb-1 text-xs text-ink-2">{roleText(role)}</p>
              {typeof message.text === "string" && message.text !== "" && <PlainText text={message.text} label={roleText(role)} />}
              {message.calls !== undefined && <Value value={message.calls} label={t("inspector.promptCalls")} />}
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

const roleText = (role: string): string =>
  role === "system" ? t("inspector.promptSystem") : role === "user" ? t("inspector.promptUser") : role === "assistant" ? t("inspector.promptAssistant") : role === "tool" ? t("inspector.promptTool") : visibleText(role);
