import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { queryClient } from "@/api/query";
import { ApiError } from "@/api/types";
import { mount } from "@/inspector/mount.fixture";
import { Texts } from "./Texts";

const stored = { agent: "companion", audience: "teen", language: "en", name: "hello", text: "Hello", original: "Hello", source: "file", version: "1" };

/** A store of one text that another tab writes to as well. */
function store() {
  let now = { ...stored };
  const call = vi.fn(async (name: string, body: { text?: string; version: string }) => {
    if (body.version !== now.version) throw new ApiError("changed", "This text was changed elsewhere since it was read here.", "Look at what it is now, and save yours over it or leave it.", "Nothing was saved.", 409);
    now = name === "set_text" ? { ...now, text: body.text!, source: "override", version: `${now.version}1` } : { ...stored };
    return now;
  });
  const view = mount(<Texts />, {
    "/api/agents": [{ id: "companion", title: "Companion", description: "", texts: true, vars: [] }],
    "/api/texts": () => [now],
    "/api/agents/companion/prompts": { nodes: [], vars: [] },
    "/api/agents/companion/start": { language: "en", scale: 1, words: {}, fields: [] },
  }, { call: call as never });
  // The screen's own client is told of changes, as that of the test.
  vi.spyOn(queryClient, "invalidateQueries").mockImplementation((filters) => view.client.invalidateQueries(filters));
  return { ...view, call, other: (text: string) => { now = { ...now, text, source: "override", version: `${now.version}o` }; } };
}

const write = async (words: string) => {
  await userEvent.click(await screen.findByRole("button", { name: /hello/ }));
  const box = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "In force" });
  await userEvent.clear(box);
  await userEvent.type(box, words);
  return box;
};

// "I saved in one tab and then in the other, and the first one's words were gone."
it("keeps both where another tab has saved meanwhile, and saves over it knowingly", async () => {
  const { call, other } = store();
  const box = await write("Mine");
  other("Theirs");
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  const notice = await screen.findByRole("alert", { name: /changed elsewhere/ });
  expect(box.value).toBe("Mine");
  expect(within(notice).getByRole<HTMLTextAreaElement>("textbox").value).toBe("Theirs");
  expect(screen.getByRole("button", { name: "Save" }).getAttribute("aria-disabled")).toBe("true");
  await userEvent.click(within(notice).getByRole("button", { name: "Save mine over it" }));
  await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
  expect(call.mock.calls.map(([, body]) => body.version)).toEqual(["1", "1o"]);
  expect(box.value).toBe("Mine");
});

it("takes the other one where nobody wants their own", async () => {
  const { call, other, client } = store();
  const box = await write("Mine");
  other("Theirs");
  await client.invalidateQueries(); // as the stream of events tells it
  const notice = await screen.findByRole("alert", { name: /changed elsewhere/ });
  await userEvent.click(within(notice).getByRole("button", { name: "Take the other one" }));
  expect(box.value).toBe("Theirs");
  expect(screen.queryByRole("alert")).toBeNull();
  expect(call).not.toHaveBeenCalled();
});

it("follows what another tab saves where nothing was written", async () => {
  const { other, client } = store();
  await userEvent.click(await screen.findByRole("button", { name: /hello/ }));
  const box = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "In force" });
  other("Theirs");
  await client.invalidateQueries();
  await waitFor(() => expect(box.value).toBe("Theirs"));
  expect(screen.queryByRole("alert")).toBeNull();
});

// "I looked for a text as I read it on the screen, and it found nothing."
it("finds a text as it is typed, with plain blanks and apostrophes and without accents", async () => {
  const french = { ...stored, language: "fr", name: "invitation", text: "Est-ce que ça t'aide\u00a0? Dis-moi ce qui va, « là-bas »." };
  mount(<Texts />, {
    "/api/agents": [{ id: "companion", title: "Companion", description: "", texts: true, vars: [] }],
    "/api/texts": [stored, french, { ...french, name: "curly", text: "Qu’est-ce qui se passe\u202f?" }, { ...french, name: "earlier", text: "it says hello" }],
  });
  const find = await screen.findByRole("searchbox");
  for (const [typed, found] of [["ça t'aide ? Dis", "invitation"], ["ça t’aide", "invitation"], ["CA T'AIDE ?", "invitation"], ["là‑bas", "invitation"], ["qu'est-ce qui se passe ?", "curly"]] as const) {
    await userEvent.clear(find);
    await userEvent.type(find, typed);
    expect(screen.getAllByRole("listitem").map((one) => one.textContent)).toEqual([expect.stringContaining(found)]);
  }
});

// "Detail named a text, and its link led to the whole list."
it("shows the text first that a link names", async () => {
  mount(<Texts named="hello" />, {
    "/api/agents": [{ id: "companion", title: "Companion", description: "", texts: true, vars: [] }],
    "/api/texts": [{ ...stored, name: "earlier", text: "it says hello" }, stored, { ...stored, name: "other", text: "Bye" }],
  });
  await screen.findByRole("searchbox");
  expect(screen.getAllByRole("listitem").map((one) => one.textContent)).toEqual([expect.stringContaining("hello"), expect.stringContaining("earlier")]);
});

// "My agent calls it reader, and the prompt was compiled for nobody."
it("compiles a prompt for the audience and language by the names that the agent has for them", async () => {
  const vars = [{ name: "reader", values: ["child", "adult"], titles: ["A child", "An adult"], audience: true }, { name: "tongue", values: ["en", "fr"], language: true }];
  const { reads } = mount(<Texts />, {
    "/api/agents": [{ id: "teller", title: "Teller", description: "", texts: true, vars }],
    "/api/texts": [{ ...stored, agent: "teller", audience: "adult" }],
    "/api/agents/teller/prompts": { nodes: [{ node: "tell", title: "Tell", texts: [stored.name] }], vars: [...vars, { name: "answered", values: null }] },
    "/api/agents/teller/start": null,
    "/api/agents/teller/prompt": { parts: [], left: [], tools: [] },
  });
  await userEvent.click(await screen.findByRole("button", { name: /An adult, English/ }));
  await userEvent.click(await screen.findByRole("button", { name: "Show the prompt" }));
  expect(screen.queryByLabelText("reader")).toBeNull();
  expect(screen.getByLabelText("answered")).toBeTruthy();
  await waitFor(() => expect(reads.some((path) => path.includes("node=tell&reader=adult&tongue=en"))).toBe(true));
});
