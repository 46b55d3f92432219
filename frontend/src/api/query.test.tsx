import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { Toasts } from "@/ui/toasts";
import { onAppEvent } from "./query";

describe("a notice", () => {
  it("that a turn could not begin is told to the person, with what is safe", async () => {
    render(<Toasts />);
    onAppEvent({ kind: "fault", id: "s", data: { code: "no_model", message: "No model is at hand.", safe: "Nothing was changed." } });
    expect(await screen.findByText("No model is at hand. Nothing was changed.")).toBeTruthy();
  });
});
