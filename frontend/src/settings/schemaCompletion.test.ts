import { describe, expect, it } from "vitest";
import { optionsAt, placeAt, schemaAt } from "./schemaCompletion";

const schema = {
  type: "object", required: ["name", "nodes"],
  properties: {
    name: { type: "string", description: "What it is called." }, mutable: { type: "boolean" },
    nodes: { type: "array", items: { $ref: "#/$defs/node" } },
    limits: { $ref: "#/$defs/limits" },
  },
  $defs: {
    limits: { type: "object", properties: { max_tokens: { type: "integer" } } },
    node: {
      type: "object", required: ["name", "kind"],
      properties: { name: { type: "string" }, kind: { type: "string", enum: ["prompt", "router"] }, default_next: { type: "string" }, flags: { type: "array", items: { enum: ["critical", "verbose"] } }, choices: { type: "array", items: { $ref: "#/$defs/choice" } } },
    },
    choice: { type: "object", properties: { to: { type: "string" }, about: { type: "string" } } },
  },
};
const at = (text: string) => placeAt(text.replace("|", ""), text.indexOf("|"));
const labels = (text: string) => optionsAt(schema, text.replace("|", ""), at(text)).map(({ label }) => label);

describe("what may be written in a graph", () => {
  it("is offered by where the caret stands", () => {
    expect(labels("|")).toEqual(["name", "mutable", "nodes", "limits"]);
    expect(labels("name: a\nmu|")).toEqual(["mutable", "nodes", "limits"]);
    expect(labels("mutable: |")).toEqual(["true", "false"]);
    expect(labels("limits:\n  ma|")).toEqual(["max_tokens"]);
    expect(labels("nodes:\n  - |")).toEqual(["name", "kind", "default_next", "flags", "choices"]);
    expect(labels("nodes:\n  - name: a\n    ki|")).toEqual(["kind", "default_next", "flags", "choices"]);
    expect(labels("nodes:\n  - name: a\n    kind: ro|")).toEqual(["prompt", "router"]);
  });

  it("names the nodes that are there where another one is named", () => {
    expect(labels("nodes:\n  - name: a\n    default_next: |\n  - name: b\n")).toEqual(["a", "b", "end"]);
    expect(labels("nodes:\n  - name: a\n    choices:\n      - to: |")).toEqual(["a", "end"]);
  });

  it("finds its way out of what stands deeper, and through lists that are not indented", () => {
    expect(at("nodes:\n  - name: a\n    choices:\n      - to: b\n        about: x\n    |").path).toEqual(["nodes", "[]"]);
    expect(at("nodes:\n- name: a\n  flags:\n  - |").path).toEqual(["nodes", "[]", "flags", "[]"]);
    expect(labels("nodes:\n- name: a\n  flags:\n  - cri|")).toEqual(["critical", "verbose"]);
    expect(at("nodes:\n  - name: a\n    kind: prompt\nli|")).toMatchObject({ path: [], key: null, typed: "li" });
  });

  it("says what a key is for, and that it is needed", () => {
    expect(optionsAt(schema, "", at("|"))[0]).toEqual({ label: "name", detail: "needed: What it is called", apply: "name: " });
    expect(schemaAt(schema, ["nodes", "[]", "choices", "[]"])).toBe(schema.$defs.choice);
  });
});
