// What tests on the real server share: HOLDPOINT_BIN names the program; each test starts it with a data folder of its own.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch } from "./harness.mjs";

export const bin = process.env.HOLDPOINT_BIN;
export const skip = bin ? false : "HOLDPOINT_BIN is not set: no program to serve";

/** Starts `holdpoint serve` and returns its address; kill() is kill -9. */
export async function serve(data, ...args) {
  const child = spawn(bin, ["--data", data, "serve", ...args], { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, OLLAMA_HOST: "" } });
  const gone = new Promise((done) => child.on("exit", done));
  const url = await new Promise((found, failed) => {
    let text = "", errors = "";
    child.stdout.on("data", (part) => {
      text += part;
      const line = text.match(/http\S+\n/);
      if (line) found(line[0].trim());
    });
    child.stderr.on("data", (part) => { errors += part; });
    child.on("exit", (code) => failed(new Error(`serve ended with ${code}: ${errors}`)));
  });
  const end = (signal) => { child.kill(signal); return gone; };
  return { url, stop: () => end("SIGTERM"), kill: () => end("SIGKILL") };
}

/** Looks until it is so. */
export async function until(so) {
  for (const end = Date.now() + 20_000; !(await so());) {
    assert.ok(Date.now() < end, "it did not come about in time");
    await new Promise((next) => setTimeout(next, 20));
  }
}

/** A data folder and a browser for one test. */
export async function onData(run) {
  const data = mkdtempSync(join(tmpdir(), "holdpoint-e2e-"));
  const browser = await launch();
  try {
    await run(data, browser);
  } finally {
    await browser.close();
    rmSync(data, { recursive: true, force: true });
  }
}
