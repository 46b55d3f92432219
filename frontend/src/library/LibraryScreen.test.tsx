import { fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { mount } from "@/inspector/mount.fixture";
import { LibraryScreen } from "./LibraryScreen";

const paper = {
  id: "d1", name: "salt.txt", source: "papers", path: "salt.txt", title: "Salt <b>trial</b>", kind: "text", date: "2011", size: 900, passages: 2, first: 7, imported_at: new Date().toISOString(),
};
const summary = {
  list: [paper], matching: 1, next: "", documents: 1, passages: 2, words: 2, meanings: 0, sources: [{ source: "papers", documents: 1 }], kinds: { text: 1 }, pdf: true, extensions: [".txt"], meaning: "",
};
const answers = {
  "/api/library": summary,
  "/api/library/search": {
    hits: [{ ...paper, found: [{ n: 8, place: 2, text: "Less salt.", parts: [{ text: "Less " }, { text: "salt", marked: true }, { text: "." }] }] }],
    by: "words",
    note: "By words only.",
  },
  "/api/library/documents/d1": { ...paper, from: 0, list: [{ n: 7, text: "First. Middle." }, { n: 8, text: "Middle. Last.", overlap: 7 }] },
  "/api/jobs": [
    {
      id: "j1", kind: "import_library", title: "papers", status: "done", done: 3, total: 0, unit: "documents", detail: "", error: "", started_at: new Date().toISOString(),
      result: { created: 1, failed: 1, passages: 2, by_words_only: true, problems: [{ file: "locked.pdf", error: "it is encrypted" }], skipped: [{ file: "a.png", error: "no" }], skipped_files: 1 },
    },
  ],
};

describe("the library", () => {
  it("says what it is for while it is empty, and takes what is dropped", async () => {
    const sent: string[] = [];
    mount(<LibraryScreen id="" place="" />, { "/api/library": { ...summary, documents: 0, list: [] }, "/api/jobs": [] }, {
      upload: async (kind, file) => {
        sent.push(`${kind} ${file.name}`);
        return { job: "j" };
      },
    });
    const empty = await screen.findByText("No documents yet");
    fireEvent.drop(empty, { dataTransfer: { files: [new File(["x"], "a.pdf"), new File(["y"], "b.md")] } });
    await waitFor(() => expect(sent).toEqual(["library a.pdf", "library b.md"]));
  });

  it("lists documents and reports an import, each file that was not taken with the reason", async () => {
    mount(<LibraryScreen id="" place="" />, answers);
    expect(await screen.findByText("Salt <b>trial</b>", {}, { timeout: 8000 })).toBeTruthy();
    expect(screen.getByText(/found by words only$/)).toBeTruthy();
    expect(screen.getByText("Documents: 1 new, 1 not taken. They are found by words only.")).toBeTruthy();
    expect(screen.getByLabelText("Documents that were not taken").textContent).toContain("locked.pdf it is encrypted");
  });

  it("searches with filters and marks the words", async () => {
    const { reads } = mount(<LibraryScreen id="" place="" />, answers);
    fireEvent.change(await screen.findByRole("searchbox"), { target: { value: "salt & more" } });
    expect((await screen.findByText("salt")).tagName).toBe("MARK");
    expect(screen.getByText("By words only.")).toBeTruthy();
    fireEvent.change(screen.getByLabelText("Type"), { target: { value: "text" } });
    await waitFor(() => expect(reads.some((path) => path.includes("q=salt%20%26%20more") && path.includes("type=text"))).toBe(true));
    expect(screen.getByRole("link", { name: /Less/ }).getAttribute("href")).toBe("#/library/d1/8");
  });

  it("reads a document, the passage marked and nothing twice, and removes it after a question", async () => {
    Element.prototype.scrollIntoView = () => {};
    const { calls } = mount(<LibraryScreen id="d1" place="8" />, answers);
    expect((await screen.findByText("Last.")).getAttribute("aria-current")).toBe("true");
    await userEvent.click(screen.getByRole("button", { name: "Remove" }));
    await userEvent.click(screen.getAllByRole("button", { name: "Remove" }).at(-1)!);
    expect(calls).toEqual([{ name: "remove_document", body: { id: "d1" } }]);
  });
});
