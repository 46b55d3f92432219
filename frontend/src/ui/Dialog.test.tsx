import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { Dialog } from "./Dialog";

it("begins in the field that can be written in, not in what stands beside it to be read", async () => {
  render(
    <Dialog open onOpenChange={() => {}} title="A text">
      <textarea readOnly aria-label="Original" defaultValue="as it was" />
      <textarea aria-label="In force" defaultValue="as it is" />
    </Dialog>,
  );
  expect(document.activeElement).toBe(await screen.findByRole("textbox", { name: "In force" }));
});
