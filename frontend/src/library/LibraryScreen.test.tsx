import { QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { onAppEvent } from "@/api/query";
import { mount } from "@/inspector/mount.fixture";
import { Toasts } from "@/ui/toasts";
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
      uploadFiles: async () => ({}),
    });
    const empty = await screen.findByText("No documents yet");
    fireEvent.drop(empty, { dataTransfer: { types: ["Files"], items: [], files: [new File(["x"], "a.pdf"), new File(["y"], "b.md")] } });
    await waitFor(() => expect(sent).toEqual(["library a.pdf", "library b.md"]));
  });

  // "I have a folder of four hundred papers, and the browser lets me choose single files only."
  it("takes a folder that is chosen, as one import under the folder's name", async () => {
    const sent: string[] = [];
    mount(<LibraryScreen id="" place="" />, { "/api/library": { ...summary, documents: 0, list: [] }, "/api/jobs": [] }, {
      uploadFiles: async (kind, title, files) => sent.push(`${kind} ${title}: ${files.map(({ path }) => path).join(", ")}`),
      upload: async () => ({ job: "j" }),
    });
    await screen.findByRole("button", { name: "Import a folder" });
    const input = screen.getByLabelText<HTMLInputElement>("Folder of documents");
    expect(input.hasAttribute("webkitdirectory")).toBe(true);
    const within = (path: string) => Object.defineProperty(new File(["x"], path.split("/").at(-1)!), "webkitRelativePath", { value: path });
    fireEvent.change(input, { target: { files: [within("papers/2019/salt.pdf"), within("papers/notes.md"), within("papers/film.mov")] } });
    await waitFor(() => expect(sent).toEqual(["library papers: papers/2019/salt.pdf, papers/notes.md, papers/film.mov"]));
  });

  it("takes a folder that is dropped beside a file", async () => {
    const sent: string[] = [];
    mount(<LibraryScreen id="" place="" />, { "/api/library": { ...summary, documents: 0, list: [] }, "/api/jobs": [] }, {
      uploadFiles: async (_kind, title, files) => sent.push(`${title}: ${files.map(({ path }) => path).join(", ")}`),
      upload: async (_kind, file) => { sent.push(file.name); return { job: "j" }; },
    });
    const zone = await screen.findByText("No documents yet");
    const leaf = (path: string) => ({ isFile: true, isDirectory: false, fullPath: path, file: (found: (file: File) => void) => found(new File(["x"], path.split("/").at(-1)!)) });
    const more = [[leaf("/papers/a.md")], [leaf("/papers/b.md")], []];
    const folder = { isFile: false, isDirectory: true, fullPath: "/papers", createReader: () => ({ readEntries: (found: (some: unknown[]) => void) => found(more.shift()!) }) };
    const items = [folder, leaf("/loose.txt")].map((entry) => ({ kind: "file", webkitGetAsEntry: () => entry }));
    const data = { dataTransfer: { items, files: [], types: ["Files"] } };
    fireEvent.dragEnter(zone, data);
    expect(screen.getByText("Drop documents, a folder or a .zip archive to import them")).toBeTruthy();
    fireEvent.drop(zone, data);
    await waitFor(() => expect(sent).toEqual(["papers: papers/a.md, papers/b.md", "loose.txt"]));
  });

  it("imports what is dropped on the window by its path", async () => {
    const calls: unknown[] = [];
    mount(<LibraryScreen id="" place="" />, { "/api/library": summary, "/api/jobs": [] }, {
      call: async (name, body) => { calls.push([name, body]); return {} as never; },
      onDropped: (handler) => { queueMicrotask(() => handler(["/home/me/papers"])); return () => {}; },
    });
    await waitFor(() => expect(calls).toContainEqual(["import_library", { path: "/home/me/papers" }]));
  });

  it("lists documents and reports an import, each file that was not taken with the reason", async () => {
    mount(<LibraryScreen id="" place="" />, answers);
    expect(await screen.findByText("Salt <b>trial</b>", {}, { timeout: 8000 })).toBeTruthy();
    expect(screen.getByText(/found by words only$/)).toBeTruthy();
    expect(screen.getByText("Documents: 1 new, 1 not taken. They are found by words only.")).toBeTruthy();
    expect(screen.getByLabelText("Documents that were not taken").textContent).toContain("locked.pdf it is encrypted");
  });

  // "I imported thirteen files, and had to close thirteen cards before I saw my library."
  it("folds the imports that went well into one line, put away at once", async () => {
    const job = (at: number, more = {}) => ({
      id: `w${at}`, kind: "import_library", title: `w${at}.txt`, status: "done", done: 1, total: 0, unit: "documents", detail: "", error: "", started_at: new Date().toISOString(),
      result: { created: 1, failed: 0, passages: 2, problems: [] }, ...more,
    });
    mount(<LibraryScreen id="" place="" />, { ...answers, "/api/jobs": [...Array.from({ length: 13 }, (_, at) => job(at)), ...answers["/api/jobs"], job(20, { status: "running", result: null })] });
    expect(await screen.findByText("13 imports are done. Documents: 13 new.")).toBeTruthy();
    expect(screen.getByRole("progressbar", { name: "w20.txt" })).toBeTruthy();
    expect(screen.getByLabelText("Documents that were not taken").closest("details")).toBeNull();
    expect(screen.getByText("w3.txt").closest("details")?.open).toBe(false);
    await userEvent.click(screen.getByRole("button", { name: "Put all away" }));
    expect(screen.queryByText(/13 imports are done/)).toBeNull();
    expect(screen.getByRole("progressbar", { name: "w20.txt" })).toBeTruthy();
  });

  // "I stopped an upload by mistake, and could only go and look for the file again." And: "Reading… stayed when it was done."
  it("goes on with an upload that was stopped, and says so in its card only", async () => {
    const sent: string[] = [];
    const stopped = { ...answers["/api/jobs"][0]!, id: "s1", title: "again.pdf", status: "cancelled", result: { created: 0, failed: 0, passages: 0 } };
    mount(<><LibraryScreen id="" place="" /><Toasts /></>, { ...answers, "/api/jobs": () => (sent.length > 0 ? [stopped] : []) }, {
      upload: async (kind, file) => {
        sent.push(`${kind} ${file.name}`);
        onAppEvent({ kind: "job", id: "s1", data: stopped });
        return { job: "s1" };
      },
      uploadFiles: async () => ({}),
    });
    await userEvent.upload(await screen.findByLabelText("Documents"), new File(["x"], "again.pdf"));
    await userEvent.click(await screen.findByRole("button", { name: "Resume" }));
    expect(sent).toEqual(["library again.pdf", "library again.pdf"]);
    expect(screen.queryByText(/Reading again.pdf/)).toBeNull();
  });

  // "It offered to go on with a file of a kind that it never reads."
  it("does not offer to go on where all was passed over", async () => {
    const failed = { ...answers["/api/jobs"][0]!, id: "s2", title: "slides.pptx", status: "failed", error: "library: nothing to import there", result: { read: 0, created: 0, failed: 0, passages: 0, skipped: [{ file: "slides.pptx", error: "not a kind of file that is read" }] } };
    let sent = false;
    mount(<LibraryScreen id="" place="" />, { ...answers, "/api/jobs": () => (sent ? [failed] : []) }, {
      upload: async () => { sent = true; onAppEvent({ kind: "job", id: "s2", data: failed }); return { job: "s2" }; },
      uploadFiles: async () => ({}),
    });
    await userEvent.upload(await screen.findByLabelText("Documents"), new File(["x"], "slides.pptx"), { applyAccept: false });
    expect(await screen.findByText(/not a kind of file/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Resume" })).toBeNull();
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
    const { calls, reads, client } = mount(<LibraryScreen id="d1" place="8" />, { ...answers, "/api/library/documents/d1/boards": { boards: [{ turn: "t1" }, { turn: "t2" }] } });
    expect((await screen.findByText("Last.")).getAttribute("aria-current")).toBe("true");
    await userEvent.click(screen.getByRole("button", { name: "Remove" }));
    // "I removed it, and nothing had told me that two reports cite it."
    expect(await screen.findByText(/^2 boards cite this document/)).toBeTruthy();
    await userEvent.click(screen.getAllByRole("button", { name: "Remove" }).at(-1)!);
    expect(calls).toEqual([{ name: "remove_document", body: { id: "d1" } }]);
    // "The console is full of errors after I removed a document": the app says that the library changed before the screen has left it.
    const before = reads.filter((path) => path.includes("/documents/d1"));
    await client.invalidateQueries({ queryKey: ["api", "library"] });
    expect(reads.filter((path) => path.includes("/documents/d1"))).toEqual(before);
  });

  // "The report cites a paper, and the link says only that it could not be read."
  it("opens a citation of a document that was removed or replaced with the text that boards keep", async () => {
    Element.prototype.scrollIntoView = () => {};
    const cited = { n: 0, name: "salt.txt", title: "Salt <b>trial</b>", source: "papers", place: 2, text: "Salt was less.", left: { at: "2026-05-04T09:00:00Z" } };
    const { reads, ...first } = mount(<LibraryScreen id="d9" place="3" />, { ...answers, "/api/library/documents/d9/passages/3": cited });
    expect((await screen.findByText("Salt was less.")).getAttribute("aria-current")).toBe("true");
    expect(screen.getByRole("heading", { name: /^The document was removed from the library on .*2026/ })).toBeTruthy();
    expect(screen.queryByRole("alert")).toBeNull();
    expect(reads.filter((path) => path.includes("/documents/d9"))).toEqual(["/api/library/documents/d9/passages/3"]);
    first.unmount();
    const second = mount(<LibraryScreen id="d1" place="3" />, { ...answers, "/api/library/documents/d1/passages/3": { ...cited, left: { at: cited.left.at, next: "d2" }, now: { ...paper, id: "d2" } } });
    expect(await screen.findByRole("heading", { name: /^This text is of an earlier version/ })).toBeTruthy();
    expect(screen.getByRole("link", { name: /The version in the library now/ }).getAttribute("href")).toBe("#/library/d2");
    second.unmount();
    // It was read before it was removed.
    const both = { "/api/library/documents/d1/passages/3": { ...cited, n: 3 } as unknown };
    const read = mount(<LibraryScreen id="d1" place="3" />, { ...answers, "/api/library/documents/d1/passages/3": () => both["/api/library/documents/d1/passages/3"] });
    await screen.findByText("Last.");
    both["/api/library/documents/d1/passages/3"] = cited;
    const wrapped = (id: string) => <QueryClientProvider client={read.client}><LibraryScreen id={id} place={id && "3"} /></QueryClientProvider>;
    read.rerender(wrapped(""));
    await screen.findByText("Choose a document");
    read.reads.length = 0;
    read.rerender(wrapped("d1"));
    expect(await screen.findByText("Salt was less.")).toBeTruthy();
    expect(read.reads.filter((path) => path.includes("/documents/d1"))).toEqual(["/api/library/documents/d1/passages/3"]);
    read.unmount();
    // The same document came back: its passage is marked there.
    mount(<LibraryScreen id="d1" place="3" />, { ...answers, "/api/library/documents/d1/passages/3": { ...cited, n: 8, left: undefined } });
    expect((await screen.findByText("Last.")).getAttribute("aria-current")).toBe("true");
  });

  // "I read up a source of my board, and could only find the board again from the top."
  it("leads back to the board or the conversation that a document was opened from, not to others", async () => {
    Element.prototype.scrollIntoView = () => {};
    const went = (to: string) => new Promise<void>((done) => { window.addEventListener("hashchange", () => done(), { once: true }); location.hash = to; });
    const shown = async () => {
      const { unmount } = mount(<LibraryScreen id="d1" place="8" />, answers);
      await screen.findByText("Last.");
      const href = screen.queryByRole("link", { name: /^Back to/ })?.getAttribute("href");
      unmount();
      return href;
    };
    await went("#/board/t1");
    await went("#/library/d1/8");
    await went("#/library/d1/7");
    expect(await shown()).toBe("#/board/t1");
    await went("#/settings");
    await went("#/library/d1/8");
    expect(await shown()).toBeUndefined();
    await went("#/sessions/s1");
    await went("#/library/d1/8");
    expect(await shown()).toBe("#/sessions/s1");
    await went("");
  });

  // "The library knows the authors and the DOI, and the reader does not say them."
  it("says who wrote a document and where it appeared, in words that can be copied", async () => {
    Element.prototype.scrollIntoView = () => {};
    const publication = { authors: ["Rossi, Carla", "Bulb Group"], journal: "Annals of Bulbs", volume: "4", issue: "2", pages: "7-11", doi: "10.1000/bulb.7", pmid: "314" };
    mount(<LibraryScreen id="d1" place="7" />, { ...answers, "/api/library/documents/d1": { ...paper, publication, from: 0, list: [{ n: 7, text: "First." }] } });
    for (const text of ["Rossi, Carla; Bulb Group", "Annals of Bulbs 2011; 4(2):7-11", "10.1000/bulb.7", "314"]) expect((await screen.findByText(text)).closest("a")).toBeNull();
  });

  // "On my phone the page was five pixels high type, and nothing enlarged it." And: "It said 1 pages."
  it("enlarges the page of a PDF", async () => {
    const real = globalThis.fetch;
    globalThis.fetch = async () => new Response(new Blob(["x"]), { status: 200 });
    URL.createObjectURL ??= () => "blob:x";
    try {
      mount(<LibraryScreen id="d1" place="7" />, { ...answers, "/api/library/documents/d1": { ...paper, kind: "pdf", pages: 1, from: 0, list: [{ n: 7, page: 1, text: "First." }] } });
      const larger = await screen.findByRole("button", { name: "Enlarge the page" });
      expect(screen.getByText(/, 1 page$/)).toBeTruthy();
      const picture = screen.getByRole("img");
      expect(picture.className).toBe("w-full");
      await userEvent.click(larger);
      expect(picture.className).toContain("max-w-none");
      await userEvent.click(screen.getByRole("button", { name: "Fit the page to the window" }));
      expect(picture.className).toBe("w-full");
    } finally {
      globalThis.fetch = real;
    }
  });
});
