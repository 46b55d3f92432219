import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { Toasts } from "@/ui/toasts";
import { keyOf, onAppEvent, queryClient } from "./query";

describe("a notice", () => {
  it("that a turn could not begin is told to the person, with what is safe", async () => {
    render(<Toasts />);
    onAppEvent({ kind: "fault", id: "s", data: { code: "no_model", message: "No model is at hand.", safe: "Nothing was changed." } });
    expect(await screen.findByText("No model is at hand. Nothing was changed.")).toBeTruthy();
  });

  // "I added a hypothesis in one tab, and the board in the other never showed it."
  it("that a person decided makes every board on the screen be read again", () => {
    const keys = ["/api/boards", "/api/boards/t1"].map(keyOf);
    for (const key of keys) queryClient.setQueryData(key, {});
    onAppEvent({ kind: "board", id: "s" });
    expect(keys.map((key) => queryClient.getQueryState(key)?.isInvalidated)).toEqual([true, true]);
  });
});
