import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseSync } from "vite";

/** A node of the syntax tree (ESTree); what else it has depends on its type. */
interface Node {
  type: string;
  start: number;
  end: number;
  [name: string]: unknown;
}

const files = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !/\.(test|fixture|setup)\.tsx?$|^text\/((en|fr)\/|lookalikes)|^transport\/mock/.test(file));

/** Properties and attributes whose values are never read by a person. */
const silent = /^(className|id|type|role|href|rel|tone|look|kind|side|as|key|htmlFor|autoComplete|inputMode|data-.*|style|d|viewBox|scope|sandbox|preserveAspectRatio|vectorEffect|keys|value|aria-(live|current|relevant|haspopup|describedby|labelledby|controls))$/;
/** Those that are read, even when they are one word without a capital. */
const spoken = /^(title|label|hint|aria-label|placeholder|alt|what|text|description|word|heading|problem|message|detail|unit|safe)$/;
/** Calls whose strings are addresses, names and patterns. */
const inside = /(^|\.)(querySelector(All)?|closest|go|href|call|read|useRead|(add|remove)EventListener|[gs]etItem|removeItem|includes|startsWith|endsWith|split|join|replace(All)?|Set|localeCompare|useMedia|matchMedia|TextDecoder|(Number|DateTime|RelativeTime)Format|toLocaleString|t|rich|error)$/;

const styling = (text: string) => !/[.!?…,;’“”]($|\s)/.test(text) && text.trim().split(/\s+/).every((word) => /^(flex|grid|block|inline|hidden|truncate|underline|border|relative|absolute|fixed|sticky|capitalize|spin|rounded|italic|solid|wavy)$/.test(word) || /[-:[\]()/]|\d/.test(word));
/** Keys of the keyboard, names of formats, FHIR types, headers: the same in every language. */
const names = /^(PDF|English|Français|B kB MB GB TB|Enter|Escape|Esc|Arrow(Down|Up|Left|Right)|Home|End|Tab|Page(Up|Down)|Delete|Backspace|F\d|R|E|((Ctrl|Shift|Alt) ?)+( ?(.|Enter|\[ \]|1 – 4))?|R, E, Ctrl Enter|Patient|Practitioner|PractitionerRole|Appointment|DocumentReference|AllergyIntolerance|Files|Holdpoint|Content-Type|UTC|GET|POST|Markdown|HTML|JSON)$/;

/** Whether a string is prose: words with spaces between, or one with a capital. */
function prose(text: string): boolean {
  const bare = text.trim();
  if (!/[A-Za-z]{2}/.test(bare) || names.test(bare) || /^(https?:|[/#.@]|--|\[|data-|default-src|<meta|var\(|min\(|limit=|transport:|UTC)/.test(bare)) return false;
  return /\s/.test(bare) ? !styling(bare) : /^[A-Z][a-z’]+[.…:!?]?$/.test(bare) || bare.endsWith("…") || (bare !== text && /^[a-z]{3,}$/.test(bare));
}

function literals(file: string): string[] {
  const source = readFileSync(join("src", file), "utf8");
  const found: string[] = [];
  const tell = (node: Node, text: string) => found.push(`${file}:${source.slice(0, node.start).split("\n").length}: ${text.trim().replace(/\s+/g, " ").slice(0, 80)}`);
  const walk = (node: Node, quiet: boolean, aloud: boolean) => {
    if (/^(TS(?!AsExpression|SatisfiesExpression|NonNullExpression)|Import|ExportAll)/.test(node.type)) return;
    if (node.type === "JSXText") {
      if (/\p{L}{2}/u.test(String(node.value).replace(/&\w+;/g, ""))) tell(node, String(node.value));
      return;
    }
    if (node.type === "Literal" && typeof node.value === "string") {
      if (!quiet && (aloud ? /\p{L}{2}/u.test(node.value) && !names.test(node.value.trim()) : prose(node.value))) tell(node, node.value);
      return;
    }
    if (node.type === "TemplateLiteral" && !quiet) {
      const text = (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join("\uFFFC");
      if (!/^\uFFFC?[/?#&]|^(holdpoint|report)-\uFFFC|^limit=|^<meta/.test(text) && prose(text.replaceAll("\uFFFC", " "))) tell(node, text.replaceAll("\uFFFC", "…"));
    }
    // A word or nothing: what is put beside other words, as "skipped" beside a time.
    if (node.type === "ConditionalExpression" && !quiet) {
      const sides = [node.consequent, node.alternate] as Node[];
      if (sides.some((one) => one.type === "Literal" && one.value === "")) for (const one of sides) if (one.type === "Literal" && /^[a-z]{4,}$/.test(String(one.value)) && !styling(String(one.value))) tell(one, String(one.value));
    }
    const callee = node.type === "CallExpression" || node.type === "NewExpression" ? source.slice((node.callee as Node).start, (node.callee as Node).end) : "";
    const named = node.type === "Property" || node.type === "JSXAttribute" ? (node[node.type === "Property" ? "key" : "name"] as Node) : null;
    const name = named ? source.slice(named.start, named.end) : "";
    for (const [key, value] of Object.entries(node)) {
      if (key === "key" && node.type === "Property" && !node.computed) continue;
      if (node.type === "TaggedTemplateExpression" || (key === "typeArguments" || key === "typeAnnotation" || key === "returnType")) continue;
      if (key === "test" && node.type === "SwitchCase") continue;
      for (const one of Array.isArray(value) ? value : [value]) {
        if (one === null || typeof one !== "object" || typeof (one as Node).type !== "string") continue;
        const child = one as Node;
        const compared = node.type === "BinaryExpression" && /^[!=]==?$|^in$/.test(String(node.operator)) && child.type === "Literal";
        const argument = callee !== "" && key === "arguments" && inside.test(callee) && (child.type !== "ArrowFunctionExpression" && child.type !== "ObjectExpression");
        const index = node.type === "MemberExpression" && key === "property";
        const shown = node.type === "JSXExpressionContainer" && /^JSX(Element|Fragment)$/.test(String((node as { parent?: string }).parent));
        const scope = /Function|^Block|^Call|^Object|^JSX(Opening|Element)|^Array/.test(node.type);
        walk(
          child.type === "JSXExpressionContainer" ? { ...child, parent: node.type } : child,
          (quiet && !/Function|^JSXElement/.test(child.type)) || compared || argument || index || (name !== "" && silent.test(name)),
          (!scope && aloud) || shown || (name !== "" && spoken.test(name) && !/Function/.test(child.type)),
        );
      }
    }
  };
  walk(parseSync(file, source).program as unknown as Node, false, false);
  return found;
}

it("no text that a person reads stands outside of the catalogs", () => {
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap(literals).join("\n")).toBe("");
});
