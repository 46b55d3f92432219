import type { Json } from "@/api/types";
import { fieldOf, problemOf, type FormField } from "./form";

/** What kind of answer a question takes. */
export interface Expected {
  field: FormField;
  /** A sentence that says so, for whoever answers. */
  words: string;
  /** Of a list or an object: what it begins with in JSON. */
  opens: "[" | "{" | "";
}

const kinds: Record<string, string> = { string: "A text", integer: "A whole number", number: "A number", array: "A list, written as JSON", object: "An object, written as JSON" };

/** What the schema of a question asks for; null where any text will do, or one of its choices. */
export function expectedOf(schema: Json | undefined): Expected | null {
  if (schema === undefined || schema === null || typeof schema !== "object" || Array.isArray(schema)) return null;
  const kind = typeof schema.type === "string" ? kinds[schema.type] : undefined;
  if (!kind) return null;
  const field = fieldOf("answer", schema, undefined, true, []);
  const items = typeof schema.maxItems === "number" ? schema.maxItems : undefined;
  const bounds =
    field.min !== undefined && field.max !== undefined ? ` from ${field.min} to ${field.max}`
    : field.min !== undefined ? `, at least ${field.min}`
    : field.max !== undefined ? `, at most ${field.max}`
    : field.maxLength !== undefined ? ` of at most ${field.maxLength} characters`
    : items !== undefined ? `, with at most ${items} items`
    : "";
  if (schema.type === "string" && !bounds && !field.hint) return null;
  return { field, words: `${kind}${bounds}.${field.hint ? ` ${field.hint}` : ""}`, opens: schema.type === "array" ? "[" : schema.type === "object" ? "{" : "" };
}

/** What is wrong with an answer as it was written; "" for nothing. The engine looks again. */
export function misfit({ field, opens }: Expected, said: string): string {
  if (field.kind === "number" || field.kind === "integer") {
    return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(said) ? problemOf(field, Number(said)) : field.kind === "integer" ? "Enter a whole number." : "Enter a number.";
  }
  if (!opens) return problemOf(field, said);
  let value: unknown;
  try {
    value = JSON.parse(said);
  } catch {
    return opens === "[" ? 'Enter a list, such as ["one", "two"].' : 'Enter an object, such as {"name": "value"}.';
  }
  if (opens === "[" ? !Array.isArray(value) : typeof value !== "object" || value === null || Array.isArray(value)) return opens === "[" ? 'Enter a list, such as ["one", "two"].' : 'Enter an object, such as {"name": "value"}.';
  return "";
}
