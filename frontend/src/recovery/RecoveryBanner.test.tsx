import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { mount } from "@/inspector/mount.fixture";
import { RecoveryBanner } from "./RecoveryBanner";

describe("the banner above the screens", () => {
  // "A request was missing from the list, and nothing said so."
  it("names the damaged rows that lists leave out, and what says what to do", async () => {
    mount(<RecoveryBanner />, { "/api/state": { interrupted: null, lost: [{ table: "approvals", id: "ap.1" }, { table: "records", id: "Patient/\u202Ex" }] } });
    const banner = await screen.findByRole("region", { name: /Damaged/ });
    expect(within(banner).getByText(/approvals ap\.1, records Patient\//)).toBeTruthy();
    expect(banner.textContent).toContain("holdpoint check");
    expect(banner.textContent).not.toContain("\u202E");
  });
});
