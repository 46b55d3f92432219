import { act, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { mount } from "@/inspector/mount.fixture";
import { ExportDialog, exportPath, guarded } from "./ExportDialog";

const hostile = "<script>parent.x=1</script><img src=https://beacon.test/a.png>";
const answers = {
  "/api/sessions/s1/turns": [{ turn: "t1", input: "Book me", started_at: "2026-03-02T10:00:00Z" }],
  "/api/sessions/s1/export": hostile,
};
const show = (more = {}) => mount(<ExportDialog session="s1" onClose={() => {}} />, answers, more);

describe("the export", () => {
  it("previews Markdown as plain text", async () => {
    show();
    const preview = await screen.findByLabelText("Preview of the export");
    expect(preview.tagName).toBe("PRE");
    expect(preview.textContent).toBe(hostile);
    expect(document.querySelector("img")).toBeNull();
  });

  it("previews HTML in a frame that may not run scripts, under a policy that loads nothing", async () => {
    show();
    await userEvent.click(await screen.findByRole("radio", { name: /HTML/ }));
    const frame = await screen.findByTitle<HTMLIFrameElement>("Preview of the export");
    expect(frame.getAttribute("sandbox")).not.toContain("allow-scripts");
    expect(
      frame
        .getAttribute("srcdoc")!
        .startsWith('<meta http-equiv="Content-Security-Policy" content="default-src \'none\''),
    ).toBe(true);
  });

  it("asks for exactly what was chosen", async () => {
    const { reads } = show();
    const [option] = await screen.findAllByRole("option", { name: /Book me/ });
    await userEvent.selectOptions(screen.getByLabelText("From turn"), option!);
    // "The page that I printed for her was full of stages and digests." Who wants the trace asks for it.
    expect(reads.at(-1)).toBe("/api/sessions/s1/export?format=md&from=t1&inline=1");
    await userEvent.click(screen.getByRole("checkbox", { name: /Include the trace/ }));
    expect(reads.at(-1)).toBe("/api/sessions/s1/export?format=md&trace=1&from=t1&inline=1");
    await userEvent.click(screen.getByRole("radio", { name: /^JSON/ }));
    expect(screen.getByRole<HTMLInputElement>("checkbox", { name: /Include the trace/ })).toMatchObject({ checked: true, disabled: true });
  });

  it("saves through the native dialog in the window", async () => {
    const { calls } = show({ kind: "wails" });
    const save = await screen.findByRole("button", { name: "Save as…" });
    await screen.findByLabelText("Preview of the export");
    await userEvent.click(save);
    expect(calls).toEqual([
      { name: "save_export", body: { session: "s1", format: "md", trace: false, from: "", to: "" } },
    ]);
  });

  // "I went back with the export open, and it lay over the list of models."
  it("closes where the address leads to another screen", async () => {
    location.hash = "#/sessions/s1";
    let closed = 0;
    mount(<ExportDialog session="s1" onClose={() => { closed++; }} />, answers);
    await screen.findByLabelText("Preview of the export");
    const to = (hash: string) => act(() => { location.hash = hash; window.dispatchEvent(new HashChangeEvent("hashchange")); });
    to("#/sessions/s1/t1");
    expect(closed).toBe(0);
    to("#/models");
    expect(closed).toBeGreaterThan(0);
  });

  it("says when it could not be made", async () => {
    mount(<ExportDialog session="s1" onClose={() => {}} />, {});
    expect((await screen.findByRole("alert")).textContent).toContain("The export could not be made.");
  });
});

it("builds addresses that survive odd ids", () => {
  expect(exportPath("a/b?c", { format: "json", trace: true, from: "", to: "t&2" })).toBe(
    "/api/sessions/a%2Fb%3Fc/export?format=json&trace=1&to=t%262",
  );
});

it("puts the policy before anything of the document", () =>
  expect(guarded("<p>x").indexOf("Content-Security-Policy")).toBeLessThan(guarded("<p>x").indexOf("<p>")));
