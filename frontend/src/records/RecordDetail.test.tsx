import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { mount } from "@/inspector/mount.fixture";
import { RecordDetail } from "./RecordDetail";

// "The session was deleted, and the visit stood in the record as if nobody had ever approved it."
it("says who approved what was done to a record, also once the session is deleted", async () => {
  const path = "/api/records/Appointment/a-1";
  const verdict = { approval: "ap.1", tool: "book_appointment", tool_title: "Booking of a visit", reviewer: "Dr. Vance", identity: "typed", decided_at: "2026-03-01T10:00:00Z", used_at: "2026-03-01T11:00:00Z", digest: "sha256:1" };
  const record = { type: "Appointment", id: "a-1", title: "sleep", subtitle: "", version: "v", updated_at: "2026-03-01T11:00:00Z", resource: { resourceType: "Appointment", id: "a-1", status: "booked" } };
  const answers = (list: unknown[]) => ({ [path]: record, [`${path}/approved`]: list, [`${path}/linked`]: [], "/api/agents": [] });
  const { unmount } = mount(<RecordDetail type="Appointment" id="a-1" />, answers([verdict, { ...verdict, approval: "ap.2", session: "s1", session_title: "Sleep", practice: true }]));
  const [gone, there] = (await screen.findByRole("list", { name: "Who approved it" })).children;
  expect(gone!.textContent).toMatch(/Booking of a visit.*Approved by Dr. Vance \(name as typed, not verified\).*carried out.*Its session was deleted/);
  expect([...gone!.querySelectorAll("time")].map((time) => time.dateTime)).toEqual(["2026-03-01T10:00:00Z", "2026-03-01T11:00:00Z"]);
  expect(there!.textContent).toMatch(/Practice: a script asked.*Sleep$/);
  unmount();
  mount(<RecordDetail type="Appointment" id="a-1" />, answers([])); // what was imported, nobody approved
  await screen.findByRole("heading", { name: "sleep" });
  expect(screen.queryByText("Who approved it")).toBeNull();
});
