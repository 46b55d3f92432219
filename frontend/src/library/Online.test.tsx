import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { mount } from "@/inspector/mount.fixture";
import { LibraryScreen } from "./LibraryScreen";

const sources = [
  { id: "pubmed", title: "PubMed", host: "eutils.ncbi.nlm.nih.gov" },
  { id: "europepmc", title: "Europe PMC", host: "www.ebi.ac.uk" },
];
const url = "https://www.ebi.ac.uk/europepmc/webservices/rest/search?query=sleep";
const waiting = { id: "r1", source: "europepmc", url, text: "sleep", asks: "the 20 records that fit best", status: "waiting", asked_at: new Date().toISOString(), warning: "The search has the name of a patient in the records. It would leave this machine." };
const summary = { list: [], matching: 0, next: "", documents: 0, passages: 0, words: 0, meanings: 0, sources: [], kinds: {}, pdf: true, extensions: [], meaning: "" };

describe("online sources", () => {
  it("are off until the network is allowed", async () => {
    mount(<LibraryScreen id="online" place="" />, { "/api/library": summary, "/api/jobs": [], "/api/library/online": { network: false, sources, requests: [waiting] } });
    expect(await screen.findByRole("link", { name: "Allow it under Settings" })).toBeTruthy();
    expect(screen.queryByLabelText("What to look for")).toBeNull();
    expect(screen.getByRole("button", { name: "Approve and send" }).hasAttribute("disabled")).toBe(true);
  });

  it("show the whole address and send what was approved, request by request", async () => {
    const { calls } = mount(<LibraryScreen id="online" place="" />, {
      "/api/library": summary, "/api/jobs": [],
      "/api/library/online": { network: true, sources, requests: [waiting, { ...waiting, id: "r0", warning: undefined, status: "failed", error: "the source did not answer in time", by: "Ada" }] },
    });
    const card = (await screen.findByText(/would leave this machine/)).closest("li") as HTMLElement;
    expect(within(card).getByText(url)).toBeTruthy();
    expect(screen.getByText("the source did not answer in time")).toBeTruthy();
    await userEvent.click(within(card).getByRole("button", { name: "Approve and send" }));
    await waitFor(() => expect(calls).toContainEqual({ name: "send_online", body: { ids: ["r1"] } }));
    await userEvent.click(within(card).getByRole("button", { name: "Refuse" }));
    await waitFor(() => expect(calls).toContainEqual({ name: "refuse_online", body: { ids: ["r1"] } }));
    // "I refused it, and what I had looked for stays there for ever."
    await userEvent.click(screen.getByRole("button", { name: "Delete" }));
    await waitFor(() => expect(calls).toContainEqual({ name: "forget_online", body: { ids: ["r0"] } }));
    fireEvent.change(screen.getByLabelText("What to look for"), { target: { value: "melatonin" } });
    await userEvent.click(screen.getByRole("checkbox", { name: /PubMed/ }));
    await userEvent.click(screen.getByRole("button", { name: "Show the requests" }));
    await waitFor(() => expect(calls).toContainEqual({ name: "plan_online", body: { text: "melatonin", sources: ["europepmc"] } }));
  });
});
