import type { Approval, Json } from "@/api/types";
import { t } from "@/text/language";

/** Fields of a form, as a JSON Schema describes arguments. What a form cannot show is "json". */
export interface FormField {
  name: string;
  kind: "text" | "long" | "moment" | "day" | "choice" | "number" | "integer" | "yes_no" | "record" | "list" | "group" | "json";
  /** The type of record that a field of the kind "record" names. */
  type?: string;
  required: boolean;
  /** Nobody can change it: the session is about what it names. */
  fixed?: boolean;
  hint: string;
  choices?: string[];
  /** What is usually said in a text. */
  usual?: string[];
  min?: number;
  max?: number;
  maxLength?: number;
  /** The fields of a group, or of each row of a list of objects. */
  fields?: FormField[];
  /** Each row of a list of plain values. */
  item?: FormField;
  /** How many rows a list has at most. */
  most?: number;
}

type Schema = Record<string, Json | undefined>;

const object = (value: Json | undefined): Schema => (value !== null && typeof value === "object" && !Array.isArray(value) ? value : {});
const text = (value: Json | undefined) => (typeof value === "string" ? value : "");
const number = (value: Json | undefined) => (typeof value === "number" ? value : undefined);

/** The form of an approval's arguments; null where its tool gives no schema. */
export function fieldsOf(approval: Pick<Approval, "args" | "parameters" | "targets" | "fixed">): FormField[] | null {
  const schema = object(approval.parameters);
  const properties = object(schema.properties);
  if (!Object.keys(properties).length) return null;
  const args = object(approval.args);
  const needed = Array.isArray(schema.required) ? schema.required : [];
  const names = [...Object.keys(properties), ...Object.keys(args).filter((name) => !(name in properties))];
  return names.map((name) => {
    const field = fieldOf(name, properties[name], args[name], needed.includes(name), approval.targets ?? []);
    return approval.fixed?.includes(name) ? { ...field, fixed: true } : field;
  });
}

/** One field by its schema, with the value that it has now. */
export function fieldOf(name: string, described: Json | undefined, value: Json | undefined, required: boolean, targets: NonNullable<Approval["targets"]>): FormField {
  const schema = object(described);
  const field = { name, required, hint: text(schema.description), min: number(schema.minimum), max: number(schema.maximum), maxLength: number(schema.maxLength) };
  const choices = Array.isArray(schema.enum) ? schema.enum.filter((one) => typeof one === "string") : [];
  if (choices.length > 0 && choices.length === (schema.enum as Json[]).length) return { ...field, kind: "choice", choices };
  switch (typeOf(schema.type)) {
    case "integer":
    case "number":
      return { ...field, kind: schema.type as "integer" | "number" };
    case "boolean":
      return { ...field, kind: "yes_no" };
    case "string": {
      if (schema.format === "date-time") return { ...field, kind: "moment" };
      if (schema.format === "date" || /YYYY-MM-DD/.test(field.hint)) return { ...field, kind: "day" };
      // What the request depends on are records that somebody can choose.
      const target = typeof value === "string" && targets.find(({ type, id }) => value === id || value === `${type}/${id}`);
      if (target) return { ...field, kind: "record", type: target.type };
      const usual = Array.isArray(schema.examples) ? schema.examples.filter((one) => typeof one === "string") : [];
      if (usual.length > 0) return { ...field, kind: "text", usual };
      return { ...field, kind: (field.maxLength ?? 0) > 200 || text(value).includes("\n") ? "long" : "text" };
    }
    case "array": {
      const rows = object(schema.items);
      const list = { ...field, kind: "list" as const, most: number(schema.maxItems) };
      if (rows.type === "object") {
        const fields = membersOf(rows);
        return fields ? { ...list, fields } : { ...field, kind: "json" };
      }
      const item = fieldOf(name, rows, undefined, true, []);
      return item.kind === "json" || item.kind === "list" ? { ...field, kind: "json" } : { ...list, item };
    }
    case "object": {
      const fields = membersOf(schema);
      return fields ? { ...field, kind: "group", fields } : { ...field, kind: "json" };
    }
    default:
      return { ...field, kind: "json" };
  }
}

/** The type of which a value is, where several are allowed: text holds all of them. */
const typeOf = (type: Json | undefined) => (!Array.isArray(type) ? type : (["string", "boolean", "number", "integer"].find((one) => type.includes(one)) ?? "json"));

/** The fields of an object; null where the schema does not name them all, or one of them has none of its own. */
function membersOf(schema: Schema): FormField[] | null {
  const properties = object(schema.properties);
  const needed = Array.isArray(schema.required) ? schema.required : [];
  const fields = Object.entries(properties).map(([name, described]) => fieldOf(name, described, undefined, needed.includes(name), []));
  return fields.length > 0 && schema.additionalProperties === false && !fields.some(({ kind }) => kind === "json") ? fields : null;
}

/** What is wrong with a value; "" for nothing. The server looks again, and at more. */
export function problemOf(field: FormField, value: Json | undefined): string {
  const empty = value === undefined || value === "" || value === null;
  if (empty) return field.required ? t("approvals.thisIsNeeded") : "";
  if (field.kind === "group") return field.fields!.map((one) => problemOf(one, object(value)[one.name])).find(Boolean) ?? "";
  if (field.kind === "list") {
    const rows = Array.isArray(value) ? value : [];
    if (field.most !== undefined && rows.length > field.most) return t("approvals.atMost", { max: field.most });
    return rows.map((row) => problemOf(rowOf(field), row)).find(Boolean) ?? "";
  }
  if (field.kind === "number" || field.kind === "integer") {
    if (typeof value !== "number" || Number.isNaN(value)) return t("approvals.enterANumber");
    if (field.kind === "integer" && !Number.isInteger(value)) return t("approvals.enterAWholeNumber");
    if (field.min !== undefined && value < field.min) return t("approvals.atLeast", { min: field.min });
    if (field.max !== undefined && value > field.max) return t("approvals.atMost", { max: field.max });
  }
  if (typeof value === "string" && field.maxLength !== undefined && [...value].length > field.maxLength) return t("approvals.atMostCharacters", { maxLength: field.maxLength });
  return "";
}

/** Arguments by their names; none where they are no object. */
export const argsOf = (args: Json): Record<string, Json | undefined> => (args !== null && typeof args === "object" && !Array.isArray(args) ? args : {});

/** A row of a list as a field of its own. */
export const rowOf = (list: FormField): FormField => list.item ?? { name: list.name, kind: "group", required: true, hint: "", fields: list.fields };

/** Arguments without what was left empty, in lists and groups of the form as well. */
export const filled = (args: Record<string, Json | undefined>, fields: readonly FormField[] = []): Record<string, Json> =>
  Object.fromEntries(Object.entries(args).map(([name, value]) => [name, tidy(value, fields.find((one) => one.name === name))] as const).filter((entry): entry is [string, Json] => entry[1] !== undefined && entry[1] !== ""));

function tidy(value: Json | undefined, field: FormField | undefined): Json | undefined {
  if (field?.kind === "list" && Array.isArray(value)) {
    const rows = value.map((row) => tidy(row, rowOf(field))).filter((row): row is Json => row !== undefined && row !== "" && row !== null);
    return rows.length > 0 ? rows : undefined;
  }
  if (field?.kind === "group") {
    const members = filled(object(value), field.fields);
    return Object.keys(members).length > 0 ? members : undefined;
  }
  return value;
}
