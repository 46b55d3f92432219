import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { ApiError } from "@/api/types";
import { mount } from "@/inspector/mount.fixture";
import { keepLanguage } from "@/text/language";
import { useChoices } from "./agents";
import { Composer } from "./Composer";
import { setPending } from "./pending";

const gone = new ApiError("unreachable", "Holdpoint does not answer.", "Check that it is still running.", "What was saved is safe.");
const answers = {
  "/api/state": { region: "FR", region_chosen: true }, "/api/drafts/new": { text: "" },
  "/api/agents": [{ id: "navigator", title: "Navigator", description: "" }],
  "/api/help_text": (path: string) => {
    const query = new URLSearchParams(path.split("?")[1]);
    return { text: "x", numbers: [{ name: "", call: query.get("language") === "fr" ? "le 15" : "15" }, { name: "Suicide écoute", call: query.get("region") === "FR" ? "3114" : "0" }] };
  },
};
const composer = () => <Composer session="" before={{ agent: "", pattern: "" }} subject={null} running={null} held={false} onSent={() => {}} />;

beforeEach(() => {
  keepLanguage("en");
  setPending(null);
  useChoices.setState({ choices: {} });
});

// "I wrote that I would die, the laptop had killed the program, and the page told me to check that it runs."
it.each([["en", "If you or somebody else may be in danger:"], ["fr", "Si vous êtes en danger, ou quelqu’un d’autre\u00a0:"]] as const)("tells whom to call where the program is gone (%s)", async (to, words) => {
  keepLanguage(to);
  const call = vi.fn(async () => { throw gone; });
  const { reads } = mount(composer(), answers, { call: call as never });
  const box = await screen.findByRole<HTMLTextAreaElement>("textbox");
  await waitFor(() => expect(reads.some((path) => path.startsWith("/api/help_text"))).toBe(true));
  const before = reads.length;
  await userEvent.type(box, "je vais mourir ce soir{Enter}");
  const line = await waitFor(() => {
    const found = document.querySelector("p[data-numbers]");
    expect(found).not.toBeNull();
    return found!;
  });
  expect(line.textContent).toContain(words);
  expect(line.textContent).toContain("15");
  expect(line.textContent).toContain("Suicide écoute 3114");
  // Nothing was read for it: nobody would answer.
  expect(reads.slice(before).filter((path) => path.startsWith("/api/help_text"))).toEqual([]);
  expect(box.value).toBe("je vais mourir ce soir");
  keepLanguage("en");
});

it("shows no numbers where the program read the message and refused it", async () => {
  mount(composer(), answers, { call: (async () => { throw new ApiError("bad_request", "The message has 70000 bytes.", "Shorten it.", "", 400); }) as never });
  await userEvent.type(await screen.findByRole("textbox"), "Hello{Enter}");
  await screen.findByText("The message has 70000 bytes.");
  expect(document.querySelector("p[data-numbers]")).toBeNull();
  expect(document.querySelector("[data-help]")).toBeNull();
});

it("shows the help that comes with a refusal", async () => {
  mount(composer(), answers, { call: (async () => { throw new ApiError("bad_request", "The message has 70000 bytes.", "Shorten it.", "", 400, "Call **112** now."); }) as never });
  await userEvent.type(await screen.findByRole("textbox"), "Hello{Enter}");
  const help = await waitFor(() => {
    const found = document.querySelector("[data-help]");
    expect(found).not.toBeNull();
    return found!;
  });
  expect(help.textContent).toBe("Call 112 now.");
  expect(help.getAttribute("role")).toBe("alert");
});

const during = (running: string | null, held = false) => <Composer session="s" before={{ agent: "navigator", pattern: "" }} subject={null} running={running} held={held} onSent={() => {}} />;

// "I pressed Enter while it was still at the last words, nothing happened, and I thought that it was sent."
it("sends what was entered during a turn once that has ended", async () => {
  const call = vi.fn(async (name: string, _: unknown) => (name === "send" ? { session: "s", turn: "t2" } : { level: "none" }));
  const { rerender } = mount(during("t1"), answers, { call: call as never });
  await userEvent.type(await screen.findByRole("textbox"), "And tomorrow?{Enter}");
  expect(screen.getByText(/goes when the reply is there/)).toBeTruthy();
  expect(call.mock.calls.filter(([name]) => name === "send")).toHaveLength(0);
  rerender(during(null));
  await waitFor(() => expect(call.mock.calls.filter(([name]) => name === "send")).toHaveLength(1));
  expect(call.mock.calls.find(([name]) => name === "send")![1]).toMatchObject({ session: "s", text: "And tomorrow?" });
});

it.each([["was changed since", false], ["needs a person's yes first", true]])("keeps what was entered during a turn where it %s", async (_, held) => {
  const call = vi.fn(async () => ({ level: "none" }));
  const { rerender } = mount(during("t1"), answers, { call: call as never });
  const box = await screen.findByRole<HTMLTextAreaElement>("textbox");
  await userEvent.type(box, "And tomorrow?{Enter}");
  if (!held) await userEvent.type(box, "!");
  rerender(during(null, held));
  await waitFor(() => expect(screen.queryByText(/goes when the reply is there/)).toBeNull());
  expect(call.mock.calls.some(([name]: unknown[]) => name === "send")).toBe(false);
  expect(box.value).toContain("And tomorrow?");
});

// "He was still typing his answer about my sleep, I wrote that I had taken all the pills, and he typed on."
it("asks whether help is needed at once, while a turn runs", async () => {
  const call = vi.fn(async (name: string, _: unknown) => (name === "check_message" ? { level: "intervention", text: "Call **112** now." } : {}));
  mount(during("t1"), answers, { call: call as never });
  await userEvent.type(await screen.findByRole("textbox"), "I have taken all the pills{Enter}");
  await waitFor(() => expect(call.mock.calls.some(([name]) => name === "check_message")).toBe(true));
});
