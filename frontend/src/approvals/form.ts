import type { Approval, Json } from "@/api/types";
import { t } from "@/text/language";

/** Fields of a form, as a JSON Schema describes arguments. What a form cannot show is "json". */
export interface FormField {
  name: string;
  kind: "text" | "long" | "moment" | "day" | "choice" | "number" | "integer" | "yes_no" | "record" | "json";
  /** The type of record that a field of the kind "record" names. */
  type?: string;
  required: boolean;
  hint: string;
  choices?: string[];
  min?: number;
  max?: number;
  maxLength?: number;
}

type Schema = Record<string, Json | undefined>;

const object = (value: Json | undefined): Schema => (value !== null && typeof value === "object" && !Array.isArray(value) ? value : {});
const text = (value: Json | undefined) => (typeof value === "string" ? value : "");
const number = (value: Json | undefined) => (typeof value === "number" ? value : undefined);

/** The form of an approval's arguments; null where its tool gives no schema. */
export function fieldsOf(approval: Pick<Approval, "args" | "parameters" | "targets">): FormField[] | null {
  const schema = object(approval.parameters);
  const properties = object(schema.properties);
  if (!Object.keys(properties).length) return null;
  const args = object(approval.args);
  const needed = Array.isArray(schema.required) ? schema.required : [];
  const names = [...Object.keys(properties), ...Object.keys(args).filter((name) => !(name in properties))];
  return names.map((name) => fieldOf(name, properties[name], args[name], needed.includes(name), approval.targets ?? []));
}

/** One field by its schema, with the value that it has now. */
export function fieldOf(name: string, described: Json | undefined, value: Json | undefined, required: boolean, targets: NonNullable<Approval["targets"]>): FormField {
  const schema = object(described);
  const field = { name, required, hint: text(schema.description), min: number(schema.minimum), max: number(schema.maximum), maxLength: number(schema.maxLength) };
  const choices = Array.isArray(schema.enum) ? schema.enum.filter((one) => typeof one === "string") : [];
  if (choices.length > 0 && choices.length === (schema.enum as Json[]).length) return { ...field, kind: "choice", choices };
  switch (schema.type) {
    case "integer":
    case "number":
      return { ...field, kind: schema.type };
    case "boolean":
      return { ...field, kind: "yes_no" };
    case "string": {
      if (schema.format === "date-time") return { ...field, kind: "moment" };
      if (schema.format === "date") return { ...field, kind: "day" };
      // What the request depends on are records that somebody can choose.
      const target = typeof value === "string" && targets.find(({ type, id }) => value === id || value === `${type}/${id}`);
      if (target) return { ...field, kind: "record", type: target.type };
      return { ...field, kind: (field.maxLength ?? 0) > 200 || text(value).includes("\n") ? "long" : "text" };
    }
    default:
      return { ...field, kind: "json" };
  }
}

/** What is wrong with a value; "" for nothing. The server looks again, and at more. */
export function problemOf(field: FormField, value: Json | undefined): string {
  const empty = value === undefined || value === "" || value === null;
  if (empty) return field.required ? t("approvals.thisIsNeeded") : "";
  if (field.kind === "number" || field.kind === "integer") {
    if (typeof value !== "number" || Number.isNaN(value)) return t("approvals.enterANumber");
    if (field.kind === "integer" && !Number.isInteger(value)) return t("approvals.enterAWholeNumber");
    if (field.min !== undefined && value < field.min) return t("approvals.atLeast", { min: field.min });
    if (field.max !== undefined && value > field.max) return t("approvals.atMost", { max: field.max });
  }
  if (typeof value === "string" && field.maxLength !== undefined && [...value].length > field.maxLength) return t("approvals.atMostCharacters", { maxLength: field.maxLength });
  return "";
}

/** Arguments without what was left empty. */
export const filled = (args: Record<string, Json | undefined>): Record<string, Json> =>
  Object.fromEntries(Object.entries(args).filter((entry): entry is [string, Json] => entry[1] !== undefined && entry[1] !== ""));
