import { QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "@/api/query";
import { setTransport } from "@/transport";
import { MockTransport } from "@/transport/mock";
import { keepLanguage } from "@/text/language";
import { keepZone } from "@/text/zone";
import { plainPath } from "./plainName";
import { ApprovalCard, toTop } from "./ApprovalCard";
import { Begun } from "./Begun";
import { dropBegun } from "./begun";
import { forget } from "@/ui/kept";
import { Changes } from "./Changes";
import { useReviewer } from "./reviewer";

const id = "t-held-a1";
let mock: MockTransport;
beforeEach(() => {
  queryClient.clear();
  useReviewer.setState({ names: {} });
  mock = new MockTransport();
  setTransport(mock);
});

const approval = () => mock.approvals.find((one) => one.id === id)!;
const verdicts = () => mock.calls.filter(({ name }) => ["approve", "reject", "modify"].includes(name));

/** Nothing is there of what other tests wrote on the card. */
const afresh = () => { forget(`${id}/`); dropBegun(id); };

async function show(onClose?: () => void) {
  const view = render(
    <QueryClientProvider client={queryClient}>
      <ApprovalCard id={id} focus onClose={onClose} />
    </QueryClientProvider>,
  );
  const args = await screen.findByRole("group", { name: "Arguments" });
  await waitFor(() => expect((screen.getByLabelText("Reviewer") as HTMLInputElement).value).toBe("Dr. R. Vance"));
  return { ...view, args, user: userEvent.setup() };
}

describe("the approval card", () => {
  it("starts with the focus on the sentence", async () => {
    await show();
    expect(document.activeElement).toBe(screen.getByRole("heading", { level: 3 }));
  });

  // "On the list of approvals I could not see what had been asked: the title was the session's first question."
  it("says what the person wrote where the conversation does not stand beside it", async () => {
    const alone = await show(() => {});
    expect(screen.getByText(/find her the next free visit/).textContent).toContain("The person wrote:");
    alone.unmount();
    await show();
    expect(screen.queryByText(/find her the next free visit/)).toBeNull();
  });

  it("decides nothing when it is closed, left or escaped", async () => {
    const onClose = vi.fn();
    const { user, unmount } = await show(onClose);
    await user.keyboard("{Escape}{Enter} a");
    await user.click(screen.getByRole("button", { name: /decides nothing/ }));
    expect(onClose).toHaveBeenCalled();
    unmount();
    expect(verdicts()).toEqual([]);
    expect(approval().status).toBe("pending");
  });

  // "My colleague sat down after me, approved, and it was signed by me: my name stood there."
  it("says where a name that is filled in comes from, and carries one that was typed to no other session", async () => {
    const { user, unmount } = await show();
    const field = () => screen.getByLabelText<HTMLInputElement>("Reviewer");
    expect(screen.getByText(/^Filled in from Settings: you sign as this person/)).toBeTruthy();
    await user.clear(field());
    await user.type(field(), "Dr. Moss");
    expect(screen.queryByText(/you sign as this person/)).toBeNull();
    unmount();
    const again = render(<QueryClientProvider client={queryClient}><ApprovalCard id={id} /></QueryClientProvider>);
    await waitFor(() => expect(field().value).toBe("Dr. Moss"));
    expect(screen.getByText(/^Given before in this session/)).toBeTruthy();
    again.unmount();
    queryClient.clear();
    approval().session = "another";
    await show();
    expect(mock.calls.filter(({ name }) => name === "set_setting")).toEqual([]);
  });

  it("approves with Ctrl+Enter exactly what was shown, under the reviewer's name", async () => {
    const { user } = await show();
    const { digest } = approval();
    await user.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(verdicts()).toHaveLength(1));
    expect(verdicts()[0]).toEqual({ name: "approve", body: { id, digest, nonce: expect.stringMatching(/^nonce-/), reviewer: "Dr. R. Vance" } });
  });

  it("rejects with R only with a reason", async () => {
    const { user } = await show();
    await user.keyboard("r");
    const reason = await screen.findByLabelText("Reason for rejecting");
    expect(document.activeElement).toBe(reason);
    await user.keyboard("{Control>}{Enter}{/Control}");
    expect(verdicts()).toEqual([]);
    await user.type(reason, "wrong day");
    await user.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(verdicts()[0]).toMatchObject({ name: "reject", body: { comment: "wrong day" } }));
  });

  it("takes R pressed twice for no reason", async () => {
    const { user } = await show();
    await user.keyboard("rr");
    expect((await screen.findByLabelText<HTMLTextAreaElement>("Reason for rejecting")).value).toBe("");
    await user.keyboard("{Escape}"); // how far a card is outlives it
  });

  it("modifies with E, shows both digests, and still waits for an approval", async () => {
    const { user } = await show();
    await user.keyboard("e");
    await user.click(await screen.findByRole("button", { name: "Edit as JSON" }));
    const box = await screen.findByLabelText(/Arguments to run instead/);
    await user.clear(box);
    await user.type(box, "{{");
    await user.click(screen.getByRole("button", { name: /Save the new arguments/ }));
    expect(screen.getByText(/not valid JSON/)).toBeTruthy();
    expect(verdicts()).toEqual([]);
    await user.clear(box);
    await user.paste('{"start":"2026-12-02T10:00:00Z"}');
    await user.click(screen.getByRole("button", { name: /Save the new arguments/ }));
    await screen.findByText(/Original digest/);
    expect(screen.getByText(/New digest/)).toBeTruthy();
    expect(approval().status).toBe("pending");
    expect(screen.getByRole("button", { name: /Approve as modified/ })).toBeTruthy();
  });

  // "I approved an allergy that it had made up: nothing on the card said how small the model is."
  it.each([["en", "Written by a very small model: check it against the record"], ["fr", "Écrit par un très petit modèle : vérifiez dans le dossier"]])("bears the mark of a very small model, also once it is decided (%s)", async (tongue, mark) => {
    keepLanguage(tongue);
    const card = () => render(<QueryClientProvider client={queryClient}><ApprovalCard id={id} /></QueryClientProvider>);
    card();
    await screen.findByRole("heading", { level: 3 });
    expect(screen.queryByText(mark)).toBeNull();
    for (const status of ["pending", "approved"] as const) {
      cleanup();
      queryClient.clear();
      Object.assign(approval(), { weak: true, status });
      card();
      expect(await screen.findByText(mark)).toBeTruthy();
    }
    keepLanguage("en");
  });

  it("says in words what it means, then what speaks against it, then all fields", async () => {
    const { args } = await show();
    const words = screen.getByRole("region", { name: "In words" });
    expect(words.textContent).toContain("Tuesday 1 December 2026, 09:30 to 10:20 UTC");
    expect(words.textContent).toContain("Dr. Imani Okafor");
    expect(words.textContent).toContain("Hillside clinic");
    const warnings = screen.getByRole("list", { name: "Warnings" });
    expect(warnings.textContent).toContain("There is a visit on that day already");
    expect(words.compareDocumentPosition(warnings)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    const changes = screen.getByRole("group", { name: "What will change" });
    expect(warnings.compareDocumentPosition(changes)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    expect(changes.compareDocumentPosition(args)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    expect(args.compareDocumentPosition(screen.getByRole("group", { name: "Decide" }))).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    expect(args.textContent).toContain("Tuesday 1 December 2026 at 09:30 UTC");
  });

  it("is modified in a form: a time is picked in the clinic’s zone, a choice from its list, and what was left alone stays", async () => {
    keepZone("America/New_York");
    const { user } = await show();
    await user.keyboard("e");
    const start = (await screen.findByLabelText("Start")) as HTMLInputElement;
    expect(start.value).toBe("2026-12-01T04:30");
    // “11/30/2026 11:00 AM, said the field. Beside it all clocks have 24 hours.”
    const means = () => document.getElementById(start.getAttribute("aria-describedby")!)!.textContent;
    expect(means()).toBe("Tuesday 1 December 2026 at 04:30 New York time (UTC-05:00)");
    fireEvent.change(start, { target: { value: "2026-12-02T09:00" } });
    expect(means()).toBe("Wednesday 2 December 2026 at 09:00 New York time (UTC-05:00)");
    await user.selectOptions(screen.getByLabelText("Appointment type (optional)"), "urgent");
    expect(screen.getByRole("button", { name: "Choose another: Practitioner" })).toBeTruthy();
    await user.click(screen.getByRole("button", { name: /Save the new arguments/ }));
    await screen.findByText(/Original digest/);
    expect(verdicts()[0]!.body).toMatchObject({ args: { start: "2026-12-02T09:00:00-05:00", appointment_type: "urgent", patient: "Patient/p-1", reason: "Blood pressure above target on two visits." } });
    keepZone("");
  });

  it("does not call approved what was refused after it, and says why something is no longer asked", async () => {
    Object.assign(approval(), { status: "approved", outcome: "refused", reviewer: "R. Vance" });
    const view = render(<QueryClientProvider client={queryClient}><ApprovalCard id={id} /></QueryClientProvider>);
    await screen.findByText(/could not be carried out/);
    expect(screen.queryByText("Approved")).toBeNull();
    view.unmount();
    queryClient.clear();
    Object.assign(approval(), { status: "void", outcome: "", why: "The turn that asked was given up." });
    render(<QueryClientProvider client={queryClient}><ApprovalCard id={id} /></QueryClientProvider>);
    await screen.findByText(/The turn that asked was given up/);
  });

  it("keeps the reviewer’s name from one card to the next", async () => {
    const { user, unmount } = await show();
    await user.clear(screen.getByLabelText("Reviewer"));
    await user.type(screen.getByLabelText("Reviewer"), "N. Okoye");
    unmount();
    render(<QueryClientProvider client={queryClient}><ApprovalCard id={id} /></QueryClientProvider>);
    expect(((await screen.findByLabelText("Reviewer")) as HTMLInputElement).value).toBe("N. Okoye");
  });

  it("asks for a name, and for the meaning of the signature where the risk is high", async () => {
    approval().risk_high = true;
    const { user } = await show();
    await user.clear(screen.getByLabelText("Reviewer"));
    await user.click(screen.getByRole("button", { name: /^Approve/ }));
    expect(screen.getByText(/Enter your name|State what your signature/)).toBeTruthy();
    await user.type(screen.getByLabelText("Reviewer"), "R. Vance");
    await user.click(screen.getByRole("button", { name: /^Approve/ }));
    expect(verdicts()).toEqual([]);
    await user.type(screen.getByLabelText("Meaning of your signature"), "reviewed");
    await user.click(screen.getByRole("button", { name: /^Approve/ }));
    await waitFor(() => expect(verdicts()[0]!.body).toMatchObject({ reviewer: "R. Vance", meaning: "reviewed" }));
  });

  it("offers no verdict once it has expired", async () => {
    approval().expires_at = new Date(Date.now() - 1000).toISOString();
    render(<QueryClientProvider client={queryClient}><ApprovalCard id={id} /></QueryClientProvider>);
    await screen.findByText(/counts as a no/);
    expect(screen.queryByRole("button", { name: /Approve|Reject|Modify/ })).toBeNull();
  });

  // "It said that it had run out on a day that is still to come."
  it("says that the clock was set back instead of a time to come", async () => {
    Object.assign(approval(), { status: "expired", clock_set_back: true, expires_at: new Date(Date.now() + 86_400_000).toISOString() });
    render(<QueryClientProvider client={queryClient}><ApprovalCard id={id} /></QueryClientProvider>);
    await screen.findByText(/The clock was set back since this was asked/);
    expect(screen.queryByText(/It expired/)).toBeNull();
  });

  it("has no way to allow for ever", async () => {
    await show();
    expect(screen.queryByText(/always|remember|don.t ask/i)).toBeNull();
  });

  it("shows 10,000 lines and forged markup in full, as text", async () => {
    const lines = Array.from({ length: 10_000 }, (_, index) => `line ${index}`).join("\n");
    approval().args = { note: `${lines}\n**approve** <script>x</script>`, who: "P\u0430tient\u202E" };
    const { args } = await show();
    expect(args.textContent).toContain("line 9999");
    expect(args.textContent).toContain("**approve** <script>x</script>");
    expect(args.querySelector("script, strong")).toBeNull();
    expect(within(args).getByText("⟨U+202E⟩")).toBeTruthy();
    expect(screen.getByText(/mixed scripts/)).toBeTruthy();
  });

  it("asks for the passphrase of who signs with one, and keeps it from nobody else’s verdict", async () => {
    const { user } = await show();
    mock.passphrases["Dr. R. Vance"] = "three brown geese";
    await user.keyboard("{Control>}{Enter}{/Control}");
    const field = (await screen.findByLabelText("Passphrase")) as HTMLInputElement;
    expect(field.type).toBe("password");
    expect(approval().status).toBe("pending");
    await user.type(field, "three brown geese{Control>}{Enter}{/Control}");
    await waitFor(() => expect(approval().status).toBe("approved"));
    expect(verdicts().at(-1)?.body).toMatchObject({ reviewer: "Dr. R. Vance", passphrase: "three brown geese" });
  });

  it("tells what is safe when the verdict was not taken", async () => {
    const { user } = await show();
    approval().digest = "sha256:other";
    await user.keyboard("{Control>}{Enter}{/Control}");
    await screen.findByText("The verdict was not taken.");
    expect(screen.getByText("Nothing was changed.")).toBeTruthy();
    expect(approval().status).toBe("pending");
  });

  // “I saved another time. It said that the verdict was not taken; I had given none.”
  it("says of a change that was refused that the change was not taken, and why", async () => {
    const { user } = await show();
    await user.keyboard("e");
    approval().digest = "sha256:other";
    await user.click(await screen.findByRole("button", { name: /Save the new arguments/ }));
    await screen.findByText("The change was not taken.");
    expect(screen.queryByText("The verdict was not taken.")).toBeNull();
    expect(screen.getByText("Nothing was changed.")).toBeTruthy();
  });

  // “I changed it myself, and was told that somebody had.”
  it("warns of arguments that somebody else changed, and not of one’s own change", async () => {
    const { user } = await show();
    await user.keyboard("e");
    await user.click(await screen.findByRole("button", { name: /Save the new arguments/ }));
    await screen.findByText(/Original digest/);
    expect(screen.queryByText(/have changed since you opened/)).toBeNull();
    approval().digest = "sha256:of-somebody-else";
    await queryClient.refetchQueries();
    await screen.findByText(/have changed since you opened/);
  });

  describe("whose end is below the window", () => {
    /** Draws the parts of the card below each other, each as high as told, in a window of 400 px. */
    function drawn(heights: Record<string, number>) {
      let scrolled = 0;
      const place = (node: Element): [number, number] => {
        let top = 0;
        for (const part of document.querySelectorAll<HTMLElement>("[data-read]")) {
          const height = heights[part.dataset.read!.split(" ")[0]!] ?? 0;
          if (part === node) return [top - scrolled, height];
          top += height;
        }
        return [node.matches("[data-decide]") ? 400 : 0, 0];
      };
      vi.spyOn(Element.prototype, "getBoundingClientRect").mockImplementation(function (this: Element) {
        const [top, height] = place(this);
        return new DOMRect(0, top, 100, height);
      });
      vi.spyOn(Element.prototype, "getClientRects").mockImplementation(function (this: Element) { return [this.getBoundingClientRect()] as unknown as DOMRectList; });
      const area = document.documentElement;
      Object.defineProperty(area, "scrollTop", { configurable: true, get: () => scrolled, set: (to: number) => { scrolled = to; } });
      area.scrollTo = (({ top }: ScrollToOptions) => { scrolled = Math.max(0, top!); }) as typeof area.scrollTo;
    }
    afterEach(() => {
      vi.restoreAllMocks();
      delete (document.documentElement as { scrollTop?: number }).scrollTop;
    });
    const button = () => within(screen.getByRole("group", { name: "Decide" })).getByRole("button", { name: /^(Approve|Read on)/ });

    // “I approved two lines of it. What it would do stood below the window.”
    it("approves only what was in sight, and scrolls on to the rest a window at a time", async () => {
      drawn({ meaning: 100, warnings: 60, changes: 900, arguments: 50 });
      const { user } = await show();
      expect(button().textContent).toContain("Read on");
      const now = Date.now();
      const clock = vi.spyOn(Date, "now").mockReturnValue(now);
      let presses = 0;
      while (button().textContent!.includes("Read on") && presses < 9) {
        await (presses % 2 ? user.click(button()) : user.keyboard("{Control>}{Enter}{/Control}"));
        presses++;
      }
      expect(presses).toBeGreaterThanOrEqual(2);
      await user.click(button()); // the second press of a double click
      expect(verdicts()).toEqual([]);
      clock.mockReturnValue(now + 500);
      await user.click(button());
      await waitFor(() => expect(verdicts()).toHaveLength(1));
    });

    it("counts the changes as seen where somebody goes to them by keyboard, and asks nothing for a short card", async () => {
      drawn({ meaning: 100, warnings: 60, changes: 900 });
      const { user, unmount } = await show();
      while (document.activeElement !== screen.getByRole("heading", { name: "What will change" })) await user.tab();
      await user.tab();
      document.documentElement.scrollTop = 900;
      fireEvent.scroll(document);
      await waitFor(() => expect(button().textContent).toContain("Approve"));
      unmount();
      approval().digest = "sha256:short";
      drawn({ meaning: 100, warnings: 60, changes: 100 });
      queryClient.clear();
      await show();
      expect(button().textContent).toContain("Approve");
    });

    it("is no dead end where there is no room to show it in", async () => {
      drawn({ meaning: 100, warnings: 60, changes: 900 });
      document.documentElement.scrollTo = () => {};
      const { user } = await show();
      for (let presses = 0; presses < 6 && button().textContent!.includes("Read on"); presses++) await user.click(button());
      expect(button().textContent).toContain("Approve");
    });
  });

  // “The arguments said it all again, and what would change was below.”
  it("folds the arguments where the changes say every one of them, and only there", async () => {
    const same = { patient: "Patient/p-1", practitioner: "dr-9", start: "2026-12-01T04:30:00-05:00", reason: "Blood pressure above target on two visits." };
    for (const [args, folded] of [[same, true], [{ ...same, force: true }, false], [{ ...same, note: "call first" }, false]] as const) {
      approval().args = args as never;
      const view = render(<QueryClientProvider client={queryClient}><ApprovalCard id={id} /></QueryClientProvider>);
      await screen.findByRole("group", { name: "What will change" });
      expect(Boolean(screen.queryByText("The arguments, which say the same"))).toBe(folded);
      view.unmount();
      queryClient.clear();
    }
  });

  // “I wrote WRONG PATIENT, went back, and it was recorded with the approval.”
  it("never makes a reason for rejecting the comment of an approval", async () => {
    const { user } = await show();
    await user.keyboard("r");
    await user.type(await screen.findByLabelText("Reason for rejecting"), "WRONG PATIENT");
    await user.keyboard("{Escape}");
    expect((screen.getByLabelText("Comment (optional)") as HTMLInputElement).value).toBe("");
    await user.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(verdicts()).toHaveLength(1));
    expect(verdicts()[0]!.body).not.toHaveProperty("comment");
  });

  // “I typed my name and it began to reject the booking.”
  it("asks for the name where the focus then is, and takes no letter for a shortcut while a form asks", async () => {
    const { user, args } = await show();
    await user.clear(screen.getByLabelText("Reviewer"));
    args.focus();
    await user.keyboard("{Control>}{Enter}{/Control}");
    expect(document.activeElement).toBe(screen.getByLabelText("Reviewer"));
    await user.keyboard("Dr. Okoye");
    expect((screen.getByLabelText("Reviewer") as HTMLInputElement).value).toBe("Dr. Okoye");
    expect(screen.queryByLabelText("Reason for rejecting")).toBeNull();
    args.focus();
    await user.keyboard("r");
    await user.type(await screen.findByLabelText("Reason for rejecting"), "wrong day");
    screen.getByRole("button", { name: /Back/ }).focus();
    await user.keyboard("e");
    expect(screen.getByLabelText("Reason for rejecting")).toBeTruthy();
    await user.keyboard("{Escape}");
    await user.clear(screen.getByLabelText("Reviewer"));
    args.focus();
    await user.keyboard("{Control>}{Enter}{/Control}");
    args.focus();
    await user.keyboard("e");
    expect(screen.queryByRole("button", { name: /Save the new/ })).toBeNull();
    expect(verdicts()).toEqual([]);
  });

  // “It said that the slot goes from free to busy. It had been busy since noon.”
  it("shows what the record holds now as what is before", async () => {
    approval().changes = [{ ref: { type: "Slot", id: "s-1" }, before: { status: "free" }, after: { status: "busy" } }];
    Object.assign(approval(), { current: [{ type: "Slot", id: "s-1", resource: { status: "closed" } }] });
    await show();
    const table = screen.getByRole("region", { name: /^Changes to/ });
    expect(table.textContent).toContain("closed");
    expect(table.textContent).not.toContain("free");
    expect(screen.getByText(/what the records hold now/)).toBeTruthy();
    cleanup();
    queryClient.clear();
    Object.assign(approval(), { current: [{ type: "Slot", id: "s-1", resource: { status: "busy" } }] });
    await show();
    expect(screen.getByText(/is so already/)).toBeTruthy();
  });

  // “participant[0].actor.reference. I book visits; I do not write programs.”
  it("names fields and records in words, and their raw names on demand", async () => {
    Object.assign(approval(), { names: { "Patient/p-1": "Amara Osei" }, checkpoint: "mutation", rule: "hitl_on_mutating_capability", because: "this changes something", tool_title: "Booking of a visit" });
    const { user, args } = await show();
    const card = document.querySelector("[data-approval]")!;
    expect(args.textContent).toContain("Amara Osei");
    expect(args.textContent).toContain("Appointment type");
    for (const plain of ["Person or place 1, record", "Person or place 1", "Starts", "Description"]) expect(screen.getByRole("rowheader", { name: plain })).toBeTruthy();
    expect(screen.getByText("Technical fields (1)").closest("details")!.textContent).toContain("Kind of record");
    for (const raw of ["actor", "Resource type", "participant[0]", "hitl_on_mutating_capability", "appointment_type", "Appointment/a-204", approval().policy_version]) expect(card.textContent).not.toContain(raw);
    await user.click(screen.getByRole("button", { name: "Show raw names" }));
    for (const raw of ["participant[0].actor.reference", "hitl_on_mutating_capability", "Appointment/a-204", approval().policy_version]) expect(card.textContent).toContain(raw);
  });

  // "The card marked its own quotation marks as hidden characters."
  it("quotes what a record is called as French does, without codes, and marks what the record itself hides", () => {
    keepLanguage("fr");
    try {
      const { container } = render(<Changes changes={[{ ref: { type: "Appointment", id: "a-1" }, before: { status: "booked" }, after: { status: "cancelled" } }]} names={{ "Appointment/a-1": "le som\u200bmeil" }} />);
      expect(container.textContent).toMatch(/«\u00a0le som\S*U\+200B\S*meil\u00a0»/);
      expect(container.innerHTML).not.toContain("U+00A0");
    } finally {
      keepLanguage("en");
    }
  });

  it("has words for the elements of records, and folds nothing technical of a record that is there already", async () => {
    for (const [path, words] of [["participant[1].actor.display", "Person or place 2"], ["identifier[0].system", "Number 1, source"], ["appointmentType.coding[0].code", "Kind of visit, code"], ["appointmentType.text", "Kind of visit"], ["resourceType", "Kind of record"], ["content[0].attachment.title", "Content 1, text, title"], ["well_name", "Well name"]] as const) expect(plainPath(path)).toBe(words);
    approval().changes = [{ ref: { type: "Patient", id: "p-1" }, before: { identifier: [{ value: "1" }], active: true }, after: { identifier: [{ value: "2" }], active: false } }];
    await show();
    expect(screen.getByRole("rowheader", { name: "Number 1, value" })).toBeTruthy();
    expect(screen.queryByText(/^Technical fields/)).toBeNull();
  });

  // “It was booked an hour ago, and the card said that it will be.” “And where was gone.”
  it("speaks of what was decided in the past, place and all", async () => {
    const summary = [{ kind: "person" as const, text: "Amara Osei" }, { kind: "time" as const, from: "2026-12-01T09:30:00Z", until: "2026-12-01T10:20:00Z" }, { kind: "place" as const, text: "Hillside clinic" }];
    for (const [status, outcome, says] of [["used", "committed", "was created"], ["rejected", "refused", "would have been created"]] as const) {
      Object.assign(approval(), { status, outcome, summary, decided_at: "2026-11-22T09:30:00Z" });
      const view = render(<QueryClientProvider client={queryClient}><ApprovalCard id={id} /></QueryClientProvider>);
      const words = await screen.findByRole("region", { name: "In words" });
      expect(words.textContent).toContain("Hillside clinic");
      expect(words.textContent).toContain("Tuesday 1 December 2026, 09:30 to 10:20 UTC");
      expect(view.container.textContent).toContain(says);
      expect(view.container.textContent).not.toContain("will be created");
      view.unmount();
      queryClient.clear();
    }
  });

  // « “Rendez-vous sera créé”: il manque l’article. »
  it("heads a change in French with words that fit every kind of record", async () => {
    keepLanguage("fr");
    try {
      for (const [type, before, after, says] of [["Appointment", null, { status: "booked" }, /^Sera créé\u00a0: Rendez-vous/], ["Slot", { status: "free" }, null, /^Sera supprimé\u00a0: /]] as const) {
        const { container, unmount } = render(<Changes changes={[{ ref: { type, id: "a-1" }, before, after }]} />);
        expect(container.querySelector("p")?.textContent).toMatch(says);
        unmount();
      }
    } finally {
      keepLanguage("en");
    }
  });

  // "One card said that a decision is due in 3 days, and that it expires in 7: which is it?"
  it("says of each deadline what happens then", async () => {
    Object.assign(approval(), { due_at: new Date(Date.now() + 3 * 86_400_000).toISOString(), expires_at: new Date(Date.now() + 7 * 86_400_000).toISOString() });
    const { container } = render(<QueryClientProvider client={queryClient}><ApprovalCard id={id} /></QueryClientProvider>);
    expect((await screen.findByRole("heading", { level: 3 })).parentElement?.textContent).toMatch(/decision wanted .*, later it is overdue/);
    expect(container.textContent).toMatch(/Expires.*: without a verdict by then it counts as a no, and nothing is changed/);
  });

  // “I had typed half a reason, my colleague approved it, and my words were gone.”
  it("keeps what was being written when somebody else decides, to be copied, with who decided what", async () => {
    afresh();
    const { user, unmount } = await show();
    await user.keyboard("r");
    await user.type(await screen.findByLabelText("Reason for rejecting"), "she asked for");
    expect(screen.queryByRole("region", { name: "What you had written" })).toBeNull();
    Object.assign(approval(), { status: "approved", reviewer: "Dr. Moss", identity: "typed", decided_at: "2026-11-22T09:30:00Z" });
    await queryClient.invalidateQueries();
    const left = await screen.findByRole("region", { name: "What you had written" });
    expect(left.textContent).toContain("Meanwhile Dr. Moss (name as typed, not verified) approved this.");
    expect(within(left).getByText("she asked for")).toBeTruthy();
    // It outlasts the card: in the conversation a line stands there by then.
    unmount();
    vi.stubGlobal("clientInformation", navigator);
    render(<Begun id={id} why="" />);
    await user.click(screen.getByRole("button", { name: "Copy" }));
    expect(await navigator.clipboard.readText()).toBe("she asked for");
    await user.click(screen.getByRole("button", { name: "Discard it" }));
    expect(screen.queryByText("she asked for")).toBeNull();
  });

  it("keeps a change that was being made when somebody else changed it, and nothing of what was sent", async () => {
    afresh();
    const { user } = await show();
    await user.keyboard("e");
    await user.click(await screen.findByRole("button", { name: "Edit as JSON" }));
    fireEvent.change(await screen.findByLabelText(/Arguments to run instead/), { target: { value: '{"start":"later"}' } });
    Object.assign(approval(), { digest: `sha256:${"ab".repeat(32)}`, reviewer: "Dr. Moss" });
    await queryClient.invalidateQueries();
    const left = await screen.findByRole("region", { name: "What you had written" });
    expect(left.textContent).toContain("Meanwhile Dr. Moss changed this request.");
    expect(left.textContent).toContain('{"start":"later"}');
  });

  it("keeps nothing of a verdict of its own", async () => {
    afresh();
    const { user } = await show();
    await user.keyboard("r");
    await user.type(await screen.findByLabelText("Reason for rejecting"), "wrong day");
    await user.keyboard("{Control>}{Enter}{/Control}");
    await screen.findByText(/wrong day/);
    expect(screen.queryByRole("region", { name: "What you had written" })).toBeNull();
  });

  // “The card had warned me, and once it was decided nobody could see of what.”
  it("shows the warnings that stood there when it was decided", async () => {
    Object.assign(approval(), { status: "used", outcome: "committed", reviewer: "R. Vance", decided_at: "2026-11-22T09:30:00Z", used_at: "2026-11-22T09:30:00Z", warned: ["There is a visit on that day already: 14:00."], warnings: ["of today"] });
    const view = render(<QueryClientProvider client={queryClient}><ApprovalCard id={id} /></QueryClientProvider>);
    const list = await screen.findByRole("list", { name: "Warnings that stood here when it was decided" });
    expect(list.textContent).toContain("There is a visit on that day already");
    expect(view.container.textContent).not.toContain("of today");
    expect(view.container.textContent).toContain("Approved by R. Vance");
  });

  // “The session was deleted, and the visit that it had made was there as if nobody had approved it.”
  it("says of one whose session was deleted who gave it and what it did", async () => {
    Object.assign(approval(), { erased: true, status: "used", outcome: "committed", title: "", args: null, changes: [{ ref: { type: "Appointment", id: "a-204" }, before: null, after: null }], reviewer: "R. Vance", decided_at: "2026-11-22T09:30:00Z", used_at: "2026-11-22T09:30:00Z" });
    const view = render(<QueryClientProvider client={queryClient}><ApprovalCard id={id} /></QueryClientProvider>);
    await screen.findByText("What it said was deleted with its session.");
    expect(view.container.textContent).toContain("Approved by R. Vance");
    expect(screen.getByRole("link", { name: "a-204" }).getAttribute("href")).toBe("#/records/Appointment/a-204");
    expect(screen.queryByRole("button", { name: /Approve|Reject|Modify/ })).toBeNull();
  });

  // “The inbox said that nobody asks any more; the session said that she was booked already.”
  it("says why a verdict came to nothing, also where its row is void or used by then", async () => {
    for (const status of ["approved", "used", "void"] as const) {
      Object.assign(approval(), { status, outcome: "refused", reviewer: "R. Vance", decided_at: "2026-11-22T09:30:00Z", why: "Dr. Okafor is already booked; open instead: Tuesday." });
      const view = render(<QueryClientProvider client={queryClient}><ApprovalCard id={id} /></QueryClientProvider>);
      await screen.findByText(/could not be carried out. Dr. Okafor is already booked; open instead: Tuesday. Nothing was changed/);
      expect(screen.queryByText(/No longer asked|Carried out/)).toBeNull();
      view.unmount();
      queryClient.clear();
    }
  });
});

// “It asked me above whether anybody is in danger. I never saw it: the approval stood at the top.”
it("begins the view with what helps in danger, where the turn has both", () => {
  const area = document.createElement("div");
  area.style.overflowY = "auto";
  area.innerHTML = "<article data-turn><section data-help></section><section data-approval='a'></section></article><article data-turn><section data-approval='b'></section></article>";
  document.body.append(area);
  const at = (selector: string, top: number) => { area.querySelector(selector)!.getBoundingClientRect = () => ({ top: top - area.scrollTop }) as DOMRect; };
  area.getBoundingClientRect = () => ({ top: 0 }) as DOMRect;
  at("[data-help]", 300);
  at("[data-approval=a]", 700);
  at("[data-approval=b]", 1200);
  toTop(area.querySelector("[data-approval=a]"));
  expect(area.scrollTop).toBe(292);
  toTop(area.querySelector("[data-approval=b]"));
  expect(area.scrollTop).toBe(1192);
  area.remove();
});
