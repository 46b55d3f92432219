import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { mount } from "./mount.fixture";
import { blobOf } from "@/journal/blob";
import { PlainText, Value } from "./Value";

const blob = { blob: "sha256:0123456789abcdef", size: 12_345 };

describe("a value", () => {
  it("fetches a blob only when a person asks for it", async () => {
    const { reads } = mount(<Value value={blob} label="prompt" />, {
      "/api/blobs/sha256%3A0123456789abcdef": "You are…",
    });
    expect(reads).toEqual([]);
    await userEvent.click(screen.getByRole("button", { name: "Show prompt, 12.3 kB" }));
    expect(await screen.findByText("You are…")).toBeTruthy();
    expect(reads).toHaveLength(1);
  });

  it("says when a blob cannot be read", async () => {
    mount(<Value value={blob} label="prompt" />);
    await userEvent.click(screen.getByRole("button", { name: /Show prompt/ }));
    expect((await screen.findByRole("alert")).textContent).toContain("This part could not be read.");
  });

  it("shows markup as text and unseen characters as escapes", () => {
    const { container } = mount(<Value value={"<img src=x onerror=alert(1)> pay\u202elap"} label="result" />);
    expect(container.querySelector("img")).toBeNull();
    expect(container.textContent).toContain("<img src=x onerror=alert(1)>");
    expect(container.textContent).toContain("U+202E");
  });

  it("opens a huge text in parts and says how much is left", async () => {
    mount(<PlainText text={"x".repeat(50_000)} label="text" />);
    expect(screen.getByLabelText("text").textContent).toHaveLength(20_000);
    await userEvent.click(screen.getByRole("button", { name: /30,000 characters left/ }));
    expect(screen.getByLabelText("text").textContent).toHaveLength(50_000);
  });

  it.each([
    [{ blob: "sha256:0123456789abcdef", size: 1, also: 2 }],
    [{ blob: "../../etc/passwd", size: 1 }],
    [{ blob: 3 }],
    [null],
    [[]],
    ["sha256:0123456789abcdef"],
  ])("does not take %j for a blob", (value) => expect(blobOf(value)).toBeNull());
});
