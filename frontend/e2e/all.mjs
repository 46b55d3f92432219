// Runs all files of browser tests, three at once: the longest begin first, so that all end together, and those that hold
// something to a time come last, two beside each other.
import { readdirSync } from "node:fs";
import { run } from "node:test";
import { tap } from "node:test/reporters";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));
const timed = ["crisis", "danger", "person"];
const long = ["everywhere", "serve", "companion", "french", "reasoner", "filing", "screens", "resize", "long"];
const others = readdirSync(folder).flatMap((name) => /^(.+)\.test\.mjs$/.exec(name)?.[1] ?? []).filter((name) => !timed.includes(name) && !long.includes(name));

const all = (names, concurrency) => new Promise((done) => {
  const tests = run({ files: names.map((name) => `${folder}${name}.test.mjs`), concurrency });
  tests.on("test:fail", () => { process.exitCode = 1; });
  const told = tests.compose(tap);
  told.on("end", done);
  told.pipe(process.stdout, { end: false });
});

await all([...long, ...others], 3);
await all(timed, 2);
