import { act, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { JournalEvent } from "@/api/types";
import { mount } from "@/inspector/mount.fixture";
import { reduce } from "@/journal/reduce";
import { emptySession } from "@/journal/view";
import { keepNames } from "@/text/names";
import { Composer } from "./Composer";
import { draftOf, forgetDrafts, keepDraft } from "./drafts";
import { found } from "./found";
import { setPending, usePending } from "./pending";
import { elapsed, Progress, readSoFar } from "./Progress";
import { Turn } from "./Turn";

const turnOf = (...events: Partial<JournalEvent>[]) =>
  reduce(emptySession("s"), events.map((event, index) => ({ ...(event.kind === "model_reading" ? {} : { seq: index + 1 }), at: new Date().toISOString(), session: "s", turn: "t", ...event }) as JournalEvent)).turns.t!;
const manifest = { agent: "a", title: "A", fingerprint: "f", stages: [{ id: "gather", title: "Read the record" }], edges: [], channels: [], tools: [], pipeline: [], mermaid: "" };
const answers = { "/api/state": {}, "/api/turns/t/manifest": manifest, "/api/agents": [{ id: "a", title: "Care navigator", description: "" }] };
const started: Partial<JournalEvent>[] = [{ kind: "turn_started", text: "Hi", data: { agent: "a" } }, { kind: "stage_started", stage: "gather", attempt: 1 }];

beforeEach(() => {
  setPending(null);
  forgetDrafts();
  keepNames({});
});

describe("what runs now", () => {
  it("is said in plain words, with the time and about how much was read", async () => {
    mount(<Progress turn={turnOf(...started, { kind: "model_reading", stage: "gather", data: { tokens: 1900, per_second: 100, purpose: "reply" } })} />, answers);
    expect((await screen.findByText("Read the record")).closest("[role=status]")).toBeTruthy();
    expect(screen.getByText(/of 1,900 tokens read/)).toBeTruthy();
    expect(screen.getByRole("progressbar", { name: "Prompt read, estimated" })).toBeTruthy();
  });

  it("names what there is to read where the pace is not known", () => {
    mount(<Progress turn={turnOf(...started, { kind: "model_reading", stage: "gather", data: { tokens: 1900 } })} />, answers);
    expect(screen.getByText("the model reads about 1,900 tokens")).toBeTruthy();
    expect(screen.queryByRole("progressbar")).toBeNull();
  });

  it("says that it waits for the model server where nothing came in the time, and not that an answer begins", () => {
    const at = new Date(Date.now() - 42_000).toISOString();
    for (const data of [{ tokens: 1900 }, { tokens: 0 }]) {
      const { unmount } = mount(<Progress turn={turnOf(...started, { kind: "model_reading", stage: "gather", at, data })} />, answers);
      expect(screen.getByText(/^waiting for the model server for 4[23] s; nothing has come yet$/)).toBeTruthy();
      expect(screen.queryByRole("progressbar")).toBeNull();
      unmount();
    }
    mount(<Progress turn={turnOf(...started, { kind: "model_reading", stage: "gather", data: { tokens: 1900, per_second: 100, begun: true } })} />, answers);
    expect(screen.getByText("the model writes its answer")).toBeTruthy();
  });

  // "It said that 1,433 of 1,582 tokens were read, and then that it waits for the model server and nothing has come."
  it("takes back nothing that it said was read: it says that reading takes longer than thought", () => {
    const at = new Date(Date.now() - 42_000).toISOString();
    mount(<Progress turn={turnOf(...started, { kind: "model_reading", stage: "gather", at, data: { tokens: 1900, per_second: 100 } })} />, answers);
    expect(screen.getByText(/^reading the 1,900 tokens takes longer than the 19 s estimated; asked 4[23] s ago, no answer yet$/)).toBeTruthy();
    expect(screen.queryByText(/waiting for the model server/)).toBeNull();
  });

  // "It sent three words and stopped, and for a minute the row said that the model writes its answer."
  it("says for how long nothing has come of a model that began to write and fell silent", () => {
    const at = new Date(Date.now() - 30_000).toISOString();
    const { unmount } = mount(<Progress turn={turnOf(...started, { kind: "model_reading", stage: "gather", at, data: { tokens: 1900, per_second: 100, begun: true } })} />, answers);
    expect(screen.getByText(/nothing more has come for 3[01] s$/)).toBeTruthy();
    unmount();
    mount(<Progress turn={turnOf(...started, { kind: "token", stage: "gather", message: "m", offset: 0, text: "He takes", at })} />, answers);
    expect(screen.getByText("Writing the reply")).toBeTruthy();
    expect(screen.getByText(/nothing more has come for 3[01] s$/)).toBeTruthy();
  });

  it("never says that more was read than there is, and nothing once the model was done", () => {
    const at = new Date(0).toISOString();
    expect(readSoFar({ at, stage: "s", purpose: "", tokens: 300, perSecond: 100, begun: false }, 2000)).toBe(200);
    expect(readSoFar({ at, stage: "s", purpose: "", tokens: 300, perSecond: 100, begun: false }, 60_000)).toBe(300);
    expect(turnOf(...started, { kind: "model_reading", stage: "gather", data: { tokens: 1 } }, { kind: "model_called", stage: "gather", data: {} }).reading).toBeNull();
    expect([elapsed(900), elapsed(61_000)]).toEqual(["0 s", "1 min 1 s"]);
  });
});

describe("a message", () => {
  const composer = (call: (name: string) => Promise<unknown>) =>
    mount(<Composer session="s" before={{ agent: "a", pattern: "" }} subject={null} running={null} held={false} onSent={() => {}} />, { ...answers, "/api/drafts/s": { text: "" } }, { call: call as never });

  it("is on its way at once, and back in the box when it was not sent", async () => {
    let fail = (_: Error) => {};
    composer((name) => (name === "send" ? new Promise((_, failed) => { fail = failed; }) : Promise.resolve({})));
    const box = screen.getByRole("textbox", { name: "Message" }) as HTMLTextAreaElement;
    await userEvent.type(box, "Hello{Enter}");
    expect(usePending.getState().pending).toMatchObject({ session: "s", text: "Hello" });
    expect(box.value).toBe("");
    await act(async () => fail(new Error("no server")));
    expect(usePending.getState().pending).toBeNull();
    expect(box.value).toBe("Hello");
    expect(screen.getByRole("alert").textContent).toContain("The message was not sent.");
  });

  it("that was not sent is kept by the app, a moment after the last letter, and is there again", async () => {
    vi.useFakeTimers();
    try {
      const saved: unknown[] = [];
      mount(<p />, {}, { call: (async (name: string, body: unknown) => void saved.push([name, body])) as never });
      keepDraft("s", "ha");
      keepDraft("s", "half");
      await vi.advanceTimersByTimeAsync(500);
      expect(saved).toEqual([["save_draft", { session: "s", text: "half" }]]);
      expect(draftOf("s")).toBe("half");
    } finally {
      vi.useRealTimers();
    }
    forgetDrafts();
    mount(<Composer session="s" before={{ agent: "a", pattern: "" }} subject={null} running={null} held={false} onSent={() => {}} />, { ...answers, "/api/drafts/s": { text: "half a thought" } });
    expect(await screen.findByDisplayValue("half a thought")).toBeTruthy();
  });
});

describe("a reply", () => {
  const done = (text: string) => turnOf(...started, { kind: "stage_completed", stage: "gather", data: {} }, { kind: "turn_completed", text, data: { steps: 1 } });
  const show = (turn = done("Take **one**.")) => mount(<Turn session="s" turn={turn} interrupted={null} newest chosen={false} />, answers);

  it("says who wrote it", async () => {
    show();
    expect(await screen.findByText("Care navigator")).toBeTruthy();
  });

  it("is copied as it was written", async () => {
    const user = userEvent.setup();
    const written = vi.fn().mockResolvedValue(undefined);
    vi.stubGlobal("clientInformation", { clipboard: { writeText: written } });
    show();
    await user.click(await screen.findByRole("button", { name: "Copy" }));
    expect(written).toHaveBeenCalledWith("Take **one**.");
    vi.unstubAllGlobals();
  });

  it("folds three and more equal calls into one line, and two not", async () => {
    const call = (id: string): Partial<JournalEvent>[] => [{ kind: "tool_started", tool: "search_notes", call: id, stage: "gather", attempt: 1 }, { kind: "tool_completed", tool: "search_notes", call: id, stage: "gather", data: { ms: 1 } }];
    keepNames({ search_notes: "Search of the notes" });
    const { unmount } = show(turnOf(...started, ...["1", "2", "3", "4", "5", "6"].flatMap(call)));
    const folded = await screen.findByText("Search of the notes, 6 times");
    expect(folded.closest("details")!.open).toBe(false);
    unmount();
    show(turnOf(...started, ...["1", "2"].flatMap(call)));
    expect(await screen.findAllByText("Search of the notes")).toHaveLength(2);
  });

  it("is edited into a branch: the session stays as it is", async () => {
    const { calls } = show();
    await userEvent.click(await screen.findByRole("button", { name: "Edit" }));
    const text = screen.getByRole("textbox", { name: "Ask this instead" });
    await userEvent.clear(text);
    await userEvent.type(text, "And in spring?{Control>}{Enter}{/Control}");
    expect(calls.filter(({ name }) => name === "send")).toEqual([{ name: "send", body: { branch: "t", text: "And in spring?" } }]);
  });
});

describe("finding", () => {
  it("meets words in any case, over several pieces of a sentence, and not across two paragraphs", () => {
    document.body.innerHTML = "<div id=a><p>Her last readings were <b>Above</b> target.</p><p>Then less.</p></div>";
    const area = document.getElementById("a")!;
    expect(found(area, "were above TARGET").map(String)).toEqual(["were Above target"]);
    expect(found(area, "target.then")).toEqual([]);
    expect(found(area, "e")).toHaveLength(8);
  });
});
