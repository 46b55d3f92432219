import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { offersAt, type Words } from "./schemaCompletion";

/** The language as the program has it, with three tools; engine/definition holds the file to it. */
const { schema, words } = JSON.parse(readFileSync("../engine/definition/testdata/editor.json", "utf8")) as { schema: never; words: Words };

/** What is offered at the bar. */
const offer = (text: string) => offersAt(schema, words, text.replace("¦", ""), text.indexOf("¦"));
const labels = (text: string) => offer(text)?.options.map(({ label }) => label) ?? [];
/** The text once the first offer that begins with the letters is taken. */
const taken = (text: string, label: string) => {
  const { from, options } = offer(text)!;
  return text.slice(0, from) + options.find((one) => one.label === label)!.apply + text.slice(text.indexOf("¦") + 1);
};
const flags = ["critical", "cacheable", "retryable"];

describe("what may be written in a graph", () => {
  it("keys are offered by where the caret stands: “Ctrl Space knew nothing of limits”", () => {
    expect(labels("¦")).toEqual(expect.arrayContaining(["name", "nodes", "rules", "limits"]));
    expect(labels("name: a\nmu¦")).toEqual(expect.arrayContaining(["mutable"]));
    expect(labels("name: a\nmu¦")).not.toContain("name");
    expect(labels("mu¦\nnodes:\n  - {name: a, kind: answer}\n")).not.toContain("nodes");
    expect(labels("mutable: ¦")).toEqual(["true", "false"]);
    expect(labels("limits:\n  ma¦")).toContain("max_tokens");
    expect(labels("limits: {ma¦")).toContain("max_tokens");
    expect(labels("vars:\n  drafts:\n    ty¦")).toContain("type");
    expect(labels("vars:\n  drafts: {type: ¦")).toContain("integer");
    expect(labels("nodes:\n  - ¦")).toContain("name");
    expect(labels("nodes:\n  - na¦\n    kind: tool\n")).not.toContain("kind");
    expect(labels("nodes:\n  - name: a\n    kind: ro¦")).toContain("router");
    expect(labels("nodes:\n- name: a\n  flags:\n  - cri¦")).toEqual(expect.arrayContaining(flags));
    expect(labels("nodes:\n  - name: a\n    kind: prompt\nli¦")).toContain("limits");
    expect(labels("# li¦")).toEqual([]);
  });

  it("a node of a kind is offered what the kind takes: “it offered me a tool for my router”", () => {
    const router = labels("nodes:\n  - name: a\n    kind: router\n    ¦");
    expect(router).toContain("choices");
    expect(router).not.toContain("tool");
    expect(labels("nodes:\n  - {name: a, kind: tool, ¦}")).toEqual(expect.arrayContaining(["tool", "arguments"]));
  });

  it("in flow style, too: “after {name: b, kind: it offered me keys”", () => {
    for (const text of ["nodes:\n  - {name: b, kind: ¦", "nodes:\n  - {name: b, kind: ¦}\n  - {name: c}\n", "nodes: [{name: b, kind: ro¦", "nodes:\n  - {name: b,\n     kind: ¦"]) {
      expect(labels(text)).toEqual(words.kinds.map(({ kind }) => kind));
    }
    expect(taken("nodes:\n  - {name: b, kind:¦}", "router")).toBe("nodes:\n  - {name: b, kind: router}");
    expect(taken("nodes:\n  - {name: b, fl¦}", "flags")).toBe("nodes:\n  - {name: b, flags: }");
  });

  it("tools and skills by their names: “I had to look up what the tool is called”", () => {
    const tools = ["patient_summary", "add_care_note", "lab.order"];
    expect(labels("nodes:\n  - name: a\n    kind: tool\n    tool: ¦")).toEqual(tools);
    expect(labels("nodes:\n  - name: a\n    kind: act\n    tools: [¦\n    default_next: end\n")).toEqual([...tools, "*"]);
    expect(labels("nodes:\n  - name: a\n    tools: [lab.order, pa¦]")).toEqual(["patient_summary", "add_care_note", "*"]);
    expect(labels("nodes:\n  - name: a\n    tools:\n      - ¦\n    default_next: end")).toEqual([...tools, "*"]);
    expect(labels("nodes:\n  - name: a\n    tools:\n    - lab¦")).toContain("patient_summary");
    expect(taken("nodes:\n  - {name: a, kind: tool, tool: lab.¦}", "lab.order")).toBe("nodes:\n  - {name: a, kind: tool, tool: lab.order}");
    expect(labels("rules:\n  - {name: r, event: before_tool_call, tools: [¦")).toContain("add_care_note");
    expect(labels("nodes:\n  - {name: a, kind: act, skills: [¦")).toEqual(["wells", "*"]);
    expect(taken("nodes:\n  - {name: a, tools: [¦]}", "*")).toBe('nodes:\n  - {name: a, tools: ["*"]}');
  });

  it("arguments are those of the node's tool: “which argument was the text again?”", () => {
    const node = "nodes:\n  - name: a\n    kind: tool\n    tool: add_care_note\n";
    expect(labels(`${node}    arguments:\n      ¦`)).toEqual(["text", "urgency"]);
    expect(labels(`${node}    arguments:\n      text: x\n      ¦\n    default_next: end\n`)).toEqual(["urgency"]);
    expect(labels(`${node}    arguments: {¦`)).toEqual(["text", "urgency"]);
    expect(labels(`${node}    arguments: {text: x, urgency: ¦`)).toEqual(["routine", "urgent"]);
    expect(offer(`${node}    arguments: {¦`)!.options[0]).toMatchObject({ detail: "needed", apply: "text: " });
    expect(labels(`${node}    arguments: {text: "{{ ¦`)).toContain("input");
    expect(labels("nodes:\n  - {name: a, kind: tool, arguments: {¦")).toEqual([]);
  });

  it("explanations to their end: “matches: regular expression”, and not when the guard acts", () => {
    const detail = (at: string, label: string) => offer(at)!.options.find((one) => one.label === label)!.detail;
    expect(detail("nodes:\n  - name: a\n    kind: guard\n    guards: [{¦", "matches")).toBe("regular expression; found means that the guard acts");
    expect(detail("nodes:\n  - name: a\n    kind: transform\n    ¦", "template")).toContain("values of the context");
    expect(detail("nodes:\n  - name: a\n    kind: transform\n    ¦", "pick")).toBe("value of the context to take: key.member.0");
    for (const { detail: one } of offer("nodes:\n  - name: a\n    ¦")!.options) expect(one.length).toBeLessThan(130);
  });

  it("flags, each once: “flags: [ offered nothing”", () => {
    expect(labels("nodes:\n  - name: a\n    flags: [¦")).toEqual(expect.arrayContaining(flags));
    expect(labels("nodes:\n  - name: a\n    flags: [cr¦\n    kind: tool\n")).toContain("critical");
    expect(labels("nodes:\n  - {name: a, flags: [critical, ¦]}")).not.toContain("critical");
    expect(taken("nodes:\n  - {name: a, flags: [cr¦]}", "critical")).toBe("nodes:\n  - {name: a, flags: [critical]}");
  });

  const graph = `name: g
vars:
  drafts: {type: integer}
  tone: {type: string, enum: [plain, warm]}
nodes:
  - {name: first, kind: critique, output: judged, default_next: second}
  - name: second
    kind: human
    question: Which?
    answers: [red, blue]
  - name: rounds
    kind: loop
    nodes:
      - {name: inner, kind: prompt, before: {worked: "{{ input }}"}, output_schema: {type: object, properties: {score: {type: number}, note: {type: object, properties: {by: {type: string}}}}}}
`;

  it("nodes of the same list follow, not the node itself: “default_next offered me the node I was writing”", () => {
    expect(labels(`${graph}  - name: last\n    default_next: ¦`)).toEqual(["first", "second", "rounds", "end"]);
    expect(labels(`${graph}  - {name: last, kind: tool, on_error: ¦}`)).toEqual(["first", "second", "rounds"]);
    expect(labels(`${graph}      - name: other\n        default_next: ¦`)).toEqual(["inner", "end"]);
    expect(labels(`${graph}  - name: last\n    choices:\n      - to: ¦`)).toEqual(["first", "second", "rounds", "last", "end"]);
    expect(labels(`${graph}  - {name: last, choices: [{to: fi¦`)).toContain("first");
    expect(labels(`${graph}  - {name: last, routes: [¦`)).toEqual(["first", "second", "rounds", "last", "end"]);
    expect(labels(`${graph}  - {name: last, transitions: {yes: ¦`)).toContain("second");
    expect(labels(`${graph}  - {name: last, inherit_context_from: [¦`)).toContain("inner");
    expect(labels(`${graph}edges:\n  - {from: ¦`)).toEqual(["first", "second", "rounds"]);
    expect(labels(`${graph}edges:\n  - from: first\n    to: ¦`)).toEqual(["first", "second", "rounds", "end"]);
    expect(labels(`${graph}entry: ¦`)).toEqual(["first", "second", "rounds"]);
    expect(labels(`${graph}rules:\n  - {name: r, nodes: [¦`)).toContain("inner");
  });

  it("keys that runs have and that nodes write: “inputs: [ offered nothing of what my nodes put out”", () => {
    const keys = labels(`${graph}  - name: last\n    inputs: [¦`);
    expect(keys).toEqual(expect.arrayContaining(["input", "vars", "error", "run", "judged", "first_output", "second_output", "inner_output", "worked"]));
    expect(keys).not.toContain("rounds_rounds");
    expect(labels(`${graph}  - name: last\n    inputs: [judged, ¦]`)).not.toContain("judged");
    expect(labels(`${graph}  - name: last\n    pick: judged.¦`)).toEqual(["verdict", "problems"]);
    expect(labels(`${graph}  - {name: last, kind: fan_out, over: ju¦`)).toContain("judged");
    expect(labels(`${graph}outputs: [¦`)).toContain("worked");
  });

  it("in templates: “inside {{ it left me alone”", () => {
    const last = `${graph}  - name: last\n    kind: transform\n`;
    expect(labels(`${last}    template: "{{ ¦`)).toEqual(expect.arrayContaining(["input", "judged", "clip", "size"]));
    expect(labels(`${last}    template: "{{ ¦ }}"\n    default_next: end\n`)).toContain("judged");
    expect(labels(`${last}    template: "done {{ input }} ¦"`)).toEqual([]);
    expect(labels(`${last}    template: ¦`)).toEqual([]);
    expect(labels(`${last}    template: "{{ vars.¦`)).toEqual(["drafts", "tone"]);
    expect(labels(`${last}    template: "{{ error.¦`)).toContain("kind");
    expect(labels(`${last}    template: "{{ judged?.¦`)).toEqual(["verdict", "problems"]);
    expect(labels(`${last}    template: "{{ inner_output.note.¦`)).toEqual(["by"]);
    expect(labels(`${last}    template: |\n      Dear {{ up¦`)).toContain("upper");
    expect(labels(`${last}    set:\n      deep: {er: ["{{ ¦`)).toContain("judged");
    expect(labels(`${last}    template: "{{.¦`)).toContain("judged");
    expect(labels(`${graph}  - {name: last, kind: fan_out, instructions: "{{ ¦`)).toContain("item");
    expect(labels(`${graph}  - {name: last, kind: prompt, after: "{{ ¦`)).toContain("output");
    expect(labels(`${graph}      - {name: more, kind: prompt, instructions: "{{ ¦`)).toContain("rounds_rounds");
    expect(taken(`${last}    template: "{{ ju¦ }}"`, "judged")).toBe(`${last}    template: "{{ judged }}"`);
    expect(taken(`${last}    template: "{{ up¦`, "upper")).toBe(`${last}    template: "{{ upper(`);
  });

  it("in rules: “when: ' knew neither my keys nor the answers I gave to choose from”", () => {
    const choice = `${graph}  - {name: last, kind: router, choices: [{to: end, when: `;
    expect(labels(`${choice}"¦`)).toEqual(expect.arrayContaining(["judged", "vars", "size"]));
    expect(labels(`${choice}"vars.tone == '¦`)).toEqual(["plain", "warm"]);
    expect(labels(`${choice}"second_output == '¦`)).toEqual(["red", "blue"]);
    expect(labels(`${choice}"second_output != \\"¦`)).toEqual(["red", "blue"]);
    expect(labels(`${choice}"judged.verdict == 'a¦`)).toEqual(["accept", "revise"]);
    expect(labels(`${choice}'judged.verdict == ''¦`)).toEqual(["accept", "revise"]);
    expect(labels(`${choice}"vars.drafts > 1 && ju¦`)).toContain("judged");
    expect(labels(`${choice}{key: ¦`)).toContain("judged");
    expect(labels(`${graph}edges:\n  - from: first\n    to: end\n    when: ¦`)).toContain("judged");
    expect(labels(`${graph}rules:\n  - name: r\n    event: before_tool_call\n    when: "args.text == 'x' && tool.¦"`)).toEqual(["name", "mutates", "server"]);
    expect(labels(`${graph}rules:\n  - name: r\n    event: after_node\n    when: "¦`)).toEqual(expect.arrayContaining(["output", "stage", "judged"]));
  });

  it("what a pattern is handed and gives out: “with: offered nothing”", () => {
    const node = "nodes:\n  - name: a\n    kind: subgraph\n    use: verify\n";
    expect(labels("nodes:\n  - {name: a, kind: subgraph, use: ¦")).toContain("verify");
    expect(labels(`${node}    with:\n      ¦`)).toEqual(expect.arrayContaining(["input", "rounds"]));
    expect(labels(`${node}    with: {rounds: 2, ¦}`)).toEqual(["input"]);
    expect(labels(`${node}    with: {input: "{{ ¦`)).toContain("vars");
    expect(labels(`${node}    takes: {mine: ¦`)).toEqual(["draft", "verdict"]);
    expect(labels(`${node}    takes:\n      mine: ver¦`)).toEqual(["draft", "verdict"]);
    expect(labels(`${node}    takes: {mine: verdict}\n  - {name: b, inputs: [¦`)).toContain("mine");
  });

  it("a text is read as far as it goes: “the editor hung on the file that I opened”", () => {
    for (const text of ["[".repeat(100_000), "- ".repeat(50_000), "{a: ".repeat(50_000), `a${" ".repeat(100_000)}¦`, `${"x: '".repeat(20_000)}¦`, "nodes:\n  - {name: a, kind: ]¦", "}: [¦", '"', "- - - ¦", "\uE000: ¦"]) {
      const begun = Date.now();
      offer(text.includes("¦") ? text : `${text}¦`);
      expect(Date.now() - begun).toBeLessThan(2000);
    }
  });
});
