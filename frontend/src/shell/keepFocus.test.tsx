import { cleanup, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Button } from "@/ui/Button";
import { useKeepFocus } from "./keepFocus";

afterEach(cleanup);

/** A list whose rows go, a card that becomes a line, and a button that is off once it was pressed. */
function Screen({ pressed }: { pressed(): void }) {
  useKeepFocus();
  const [rows, setRows] = useState(["one", "two", "three"]);
  const [card, setCard] = useState(true);
  const [off, setOff] = useState(false);
  return (
    <main id="main" tabIndex={-1}>
      <ul>{rows.map((row) => <li key={row}><Button onClick={() => setRows(rows.filter((one) => one !== row))}>Delete {row}</Button></li>)}</ul>
      <article>
        {card ? <section key="card"><Button onClick={() => setCard(false)}>Approve</Button></section> : <p key="line">Carried out</p>}
      </article>
      <Button disabled={off} onClick={() => { setOff(true); pressed(); }}>Practice</Button>
    </main>
  );
}

describe("the focus of whoever works by keyboard", () => {
  it("goes to what takes the place of what went away", async () => {
    const user = userEvent.setup();
    render(<Screen pressed={() => undefined} />);
    screen.getByRole("button", { name: "Delete two" }).focus();
    await user.keyboard("{Enter}");
    await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByRole("button", { name: "Delete three" })));
    screen.getByRole("button", { name: "Approve" }).focus();
    await user.keyboard("{Enter}");
    await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByText("Carried out")));
  });

  it("stays on a button that is switched off, which then does nothing", async () => {
    const user = userEvent.setup();
    const pressed = vi.fn();
    render(<Screen pressed={pressed} />);
    const button = screen.getByRole("button", { name: "Practice" });
    button.focus();
    await user.keyboard("{Enter}{Enter}");
    expect(pressed).toHaveBeenCalledTimes(1);
    expect(document.activeElement).toBe(button);
    expect(button.getAttribute("aria-disabled")).toBe("true");
    await user.tab();
    expect((button as HTMLButtonElement).disabled).toBe(true);
  });
});
