import type { Json } from "@/api/types";
import { t } from "@/text/language";
import { fieldOf, problemOf, type FormField } from "./form";

/** What kind of answer a question takes. */
export interface Expected {
  field: FormField;
  /** A sentence that says so, for whoever answers. */
  words: string;
  /** Of a list or an object: what it begins with in JSON. */
  opens: "[" | "{" | "";
}

const kinds: Record<string, string> = { get string() { return t("approvals.aText"); }, get integer() { return t("approvals.aWholeNumber"); }, get number() { return t("approvals.aNumber"); }, get array() { return t("approvals.aListWrittenAsJson"); }, get object() { return t("approvals.anObjectWrittenAsJson"); } };

/** What the schema of a question asks for; null where any text will do, or one of its choices. */
export function expectedOf(schema: Json | undefined): Expected | null {
  if (schema === undefined || schema === null || typeof schema !== "object" || Array.isArray(schema)) return null;
  const kind = typeof schema.type === "string" ? kinds[schema.type] : undefined;
  if (!kind) return null;
  const field = fieldOf("answer", schema, undefined, true, []);
  const items = typeof schema.maxItems === "number" ? schema.maxItems : undefined;
  const bounds =
    field.min !== undefined && field.max !== undefined ? ` ${t("approvals.fromTo", { min: field.min, max: field.max })}`
    : field.min !== undefined ? t("approvals.atLeast2", { min: field.min })
    : field.max !== undefined ? t("approvals.atMost2", { max: field.max })
    : field.maxLength !== undefined ? ` ${t("approvals.ofAtMostCharacters", { maxLength: field.maxLength })}`
    : items !== undefined ? t("approvals.withAtMostItems", { items })
    : "";
  if (schema.type === "string" && !bounds && !field.hint) return null;
  return { field, words: `${kind}${bounds}.${field.hint ? ` ${field.hint}` : ""}`, opens: schema.type === "array" ? "[" : schema.type === "object" ? "{" : "" };
}

/** What is wrong with an answer as it was written; "" for nothing. The engine looks again. */
export function misfit({ field, opens }: Expected, said: string): string {
  if (field.kind === "number" || field.kind === "integer") {
    return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(said) ? problemOf(field, Number(said)) : field.kind === "integer" ? t("approvals.enterAWholeNumber") : t("approvals.enterANumber");
  }
  if (!opens) return problemOf(field, said);
  let value: unknown;
  try {
    value = JSON.parse(said);
  } catch {
    return opens === "[" ? t("approvals.enterAListSuchAsOne") : t("approvals.enterAnObjectSuchAs", {});
  }
  if (opens === "[" ? !Array.isArray(value) : typeof value !== "object" || value === null || Array.isArray(value)) return opens === "[" ? t("approvals.enterAListSuchAsOne") : t("approvals.enterAnObjectSuchAs", {});
  return "";
}
