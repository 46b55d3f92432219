import { expect, it } from "vitest";
import { explain } from "@/api/types";
import { ApiError } from "@/api/types";
import { problemText } from "./problem";

it.each([
  ['model: server unreachable: Get "http://127.0.0.1:11434/api/version": dial tcp 127.0.0.1:11434: connect: connection refused', "No model server answers."],
  ["stage think: model: model not found: there is none on the server yet", "The model that should answer is not on the model server."],
  ["turn: the model did not finish its answer: Post \"http://127.0.0.1:9/api/chat\": model: answer stalled: chat: nothing came for 3m24.8125s", "The model went quiet before its answer was complete."],
  ["session: not found", "This session is not here."],
  ["record: not found: Patient/x", "This record is not here."],
  ["run: no such run", "This turn is not here."],
])("%s says what is the matter and what to do", (text, message) => {
  const said = problemText(text);
  expect(said.message).toBe(message);
  expect(said.hint).not.toBe("");
});

it("leaves sentences alone and takes only the program's own names away", () => {
  expect(problemText("The disk is full.")).toEqual({ message: "The disk is full.", hint: "" });
  expect(problemText("store: record: a key is empty").message).toBe("A key is empty.");
  expect(problemText("turn: navigator: a key is empty").message).toBe("A key is empty.");
  expect(problemText("Note: call her").message).toBe("Note: call her");
});

it("keeps the hint that came with an error when there is no better one", () => {
  expect(explain(new ApiError("not_found", "session: not found", "List the sessions to see which there are.")).hint).toContain("Choose another one");
  expect(explain(new ApiError("x", "store: odd", "Restart.")).hint).toBe("Restart.");
});
