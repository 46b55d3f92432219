import { QueryObserver } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { Toasts } from "@/ui/toasts";
import { comeTo, keyOf, onAppEvent, queryClient } from "./query";

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

  // "It was deleted in another window, and mine went on asking for it."
  it("that a session was deleted leaves nothing that asks for it, until somebody goes to it", () => {
    const keys = ["/api/sessions/a b", "/api/sessions/a b/turns", "/api/memory/a b"].map((path) => keyOf(path.replace(" ", "%20")));
    for (const key of [...keys, keyOf("/api/sessions/other")]) queryClient.setQueryData(key, {});
    queryClient.setQueryData(keyOf("/api/approvals/p"), { session: "a b", status: "pending" });
    queryClient.setQueryData(keyOf("/api/approvals/u"), { session: "a b", status: "used" });
    onAppEvent({ kind: "session", id: "a b", gone: true });
    expect([...keys, keyOf("/api/approvals/p")].map((key) => queryClient.getQueryData(key))).toEqual([undefined, undefined, undefined, undefined]);
    expect([keyOf("/api/sessions/other"), keyOf("/api/approvals/u")].map((key) => queryClient.getQueryData(key) !== undefined)).toEqual([true, true]);
    for (const key of keys) queryClient.setQueryData(key, {});
    onAppEvent({ kind: "session", id: "a b" });
    expect(keys.map((key) => queryClient.getQueryState(key)?.isInvalidated)).toEqual([false, false, false]);
    comeTo("a b");
    onAppEvent({ kind: "session", id: "a b" });
    expect(keys.map((key) => queryClient.getQueryState(key)?.isInvalidated)).toEqual([true, true, true]);
  });

  // "It was done, and the cards still asked what I had answered."
  it("that comes while something is read for the first time has it read again", async () => {
    const answers: ((value: string) => void)[] = [];
    const observer = new QueryObserver<string>(queryClient, { queryKey: keyOf("/api/sessions/s/cards"), queryFn: () => new Promise<string>((answer) => { answers.push(answer); }) });
    const seen: (string | undefined)[] = [];
    const stop = observer.subscribe(({ data }) => seen.push(data));
    onAppEvent({ kind: "session", id: "s" }); // the turn ends while the first answer is on its way
    answers[0]!("before");
    await expect.poll(() => answers.length).toBe(2);
    answers[1]!("after");
    await expect.poll(() => seen.at(-1)).toBe("after");
    stop();
  });
});
