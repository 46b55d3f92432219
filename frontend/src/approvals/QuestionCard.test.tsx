import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "@/api/query";
import { setTransport } from "@/transport";
import { MockTransport } from "@/transport/mock";
import { QuestionCard } from "./QuestionCard";

let mock: MockTransport;
beforeEach(() => {
  queryClient.clear();
  mock = new MockTransport("question");
  setTransport(mock);
});
const answers = () => mock.calls.filter(({ name }) => name === "answer");

async function show(pause: string, onClose?: () => void) {
  const view = render(
    <QueryClientProvider client={queryClient}>
      <QuestionCard session="s-ask" turn="t-ask" pause={pause} focus onClose={onClose} />
    </QueryClientProvider>,
  );
  const question = await screen.findByRole("group", { name: "Question" });
  return { ...view, question, user: userEvent.setup() };
}
const open = "ask.t-ask.ask.1";
const verdict = "human.t-ask.calm.1";

describe("the question card", () => {
  it("starts with the focus on the question", async () => {
    const { question } = await show(open);
    expect(document.activeElement).toBe(question);
  });

  it("answers nothing when it is closed, left or escaped", async () => {
    const onClose = vi.fn();
    const { user, unmount } = await show(open, onClose);
    await user.keyboard("{Escape}{Enter} r");
    await user.click(screen.getByRole("button", { name: /answers nothing/ }));
    expect(onClose).toHaveBeenCalled();
    unmount();
    expect(answers()).toEqual([]);
    expect(mock.questions).toHaveLength(2);
  });

  it("has no answer chosen beforehand and sends none without a choice", async () => {
    const { user } = await show(open);
    expect(screen.getAllByRole("radio").every((one) => !(one as HTMLInputElement).checked)).toBe(true);
    await user.click(screen.getByRole("button", { name: /Answer/ }));
    expect((await screen.findByRole("alert")).textContent).toMatch(/Choose one/);
    expect(answers()).toEqual([]);
  });

  it("sends the choice as the engine reads it", async () => {
    const { user } = await show(open);
    await user.click(screen.getByRole("radio", { name: "in the morning" }));
    await user.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(answers()).toHaveLength(1));
    expect(answers()[0]!.body).toEqual({ turn: "t-ask", pause: open, answer: { answer: "in the morning" } });
  });

  it("sends a text where there are no choices, and never an empty one", async () => {
    mock.questions[0]!.choices = [];
    const { user } = await show(open);
    await user.type(screen.getByLabelText("Your answer"), "   ");
    await user.keyboard("{Control>}{Enter}{/Control}");
    expect(answers()).toEqual([]);
    await user.type(screen.getByLabelText("Your answer"), "call her");
    await user.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(answers()).toHaveLength(1));
    expect(answers()[0]!.body).toMatchObject({ answer: { answer: "call her" } });
  });

  it("says what kind of answer is expected and refuses another", async () => {
    mock.questions[0]!.choices = [];
    mock.questions[0]!.schema = { type: "integer", minimum: 1, maximum: 12, description: "Visits in a year." };
    const { user } = await show(open);
    const box = screen.getByLabelText("Your answer");
    const note = () => document.getElementById(box.getAttribute("aria-describedby")!)!.textContent;
    expect(note()).toBe("A whole number from 1 to 12. Visits in a year.");
    for (const [said, why] of [["many", "Enter a whole number."], ["2.5", "Enter a whole number."], ["0x2", "Enter a whole number."], ["13", "At most 12."], ["0", "At least 1."]] as const) {
      await user.clear(box);
      await user.type(box, said);
      await user.click(screen.getByRole("button", { name: /Answer/ }));
      expect(screen.getByRole("alert").textContent).toContain(why);
      expect(box.getAttribute("aria-invalid")).toBe("true");
      expect(document.activeElement).toBe(box);
    }
    expect(answers()).toEqual([]);
    await user.clear(box);
    expect(box.getAttribute("aria-invalid")).toBeNull();
    await user.type(box, " 12 ");
    await user.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(answers()).toHaveLength(1));
    expect(answers()[0]!.body).toMatchObject({ answer: { answer: "12" } });
  });

  it.each([
    [{ type: "array", maxItems: 3 }, "A list, written as JSON, with at most 3 items.", '{"a":1}', 'Enter a list', '["a"]'],
    [{ type: "object" }, "An object, written as JSON.", "[1]", "Enter an object", '{"a":1}'],
    [{ type: "string", maxLength: 4 }, "A text of at most 4 characters.", "longer", "At most 4 characters", "four"],
    [{ type: "number", minimum: 0.5 }, "A number, at least 0.5.", "0.4", "At least 0.5", "0.5"],
  ])("takes a typed answer: %j", async (schema, words, bad, why, good) => {
    mock.questions[0]!.choices = [];
    mock.questions[0]!.schema = schema;
    const { user } = await show(open);
    expect(screen.getByText(words)).toBeTruthy();
    const box = screen.getByLabelText("Your answer");
    await user.click(box);
    await user.paste(bad);
    await user.click(screen.getByRole("button", { name: /Answer/ }));
    expect(screen.getByRole("alert").textContent).toContain(why);
    expect(answers()).toEqual([]);
    await user.clear(box);
    await user.paste(good);
    await user.click(screen.getByRole("button", { name: /Answer/ }));
    await waitFor(() => expect(answers()).toHaveLength(1));
    expect(answers()[0]!.body).toMatchObject({ answer: { answer: good } });
  });

  it("approves a step, or rejects it with a reason only", async () => {
    const { user } = await show(verdict);
    await user.keyboard("r");
    const reason = await screen.findByLabelText("Reason for rejecting");
    await user.click(screen.getByRole("button", { name: /^Reject/ }));
    expect(answers()).toEqual([]);
    await user.type(reason, "too early");
    await user.click(screen.getByRole("button", { name: /^Reject/ }));
    await waitFor(() => expect(answers()).toHaveLength(1));
    expect(answers()[0]!.body).toEqual({ turn: "t-ask", pause: verdict, answer: { approved: false, comment: "too early" } });
  });

  it("keeps what was written when the answer is not taken", async () => {
    mock.questions[0]!.choices = [];
    const { user } = await show(open);
    vi.spyOn(mock, "call").mockRejectedValue(new Error("the disk is full"));
    await user.type(screen.getByLabelText("Your answer"), "call her");
    await user.keyboard("{Control>}{Enter}{/Control}");
    expect((await screen.findByText("The answer was not taken.")).textContent).toBeTruthy();
    expect((screen.getByLabelText("Your answer") as HTMLTextAreaElement).value).toBe("call her");
  });

  it("shows hostile words as text, with hidden characters made visible", async () => {
    mock.questions[0]!.prompt = "<b>now</b>\u202E **bold**";
    mock.questions[0]!.choices = ["yes\u200b"];
    const { question } = await show(open);
    expect(question.textContent).toBe("<b>now</b>⟨U+202E⟩ **bold**");
    expect(screen.getByText("Invisible characters are hidden in this text.")).toBeTruthy();
  });
});
