import type { Json } from "@/api/types";
import type { Form } from "@/forms/types";
import { transport } from "@/transport";

/** What a file of a request says, as the API shows it. */
export interface RequestView {
  title: string;
  text: string;
  own: boolean;
  signed: boolean;
  risk_high: boolean;
  digest: string;
  reviewer: string;
  /** What can be changed before it is signed; without parameters nothing can. */
  args: Json;
  parameters?: Json;
  form?: Form;
}

/** Saves a value as a JSON file: where a person says in the window, among the downloads in the browser. It answers the path, "" where it is not known. */
export async function saveJson(name: string, value: unknown): Promise<string> {
  const text = `${JSON.stringify(value, null, 2)}\n`;
  if (transport().kind === "wails") return (await transport().call<{ path: string }>("save_text", { name, text })).path;
  const url = URL.createObjectURL(new Blob([text], { type: "application/json;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
  return "";
}
