import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { Caller } from "./Footer";

describe("for whom turns run", () => {
  it("names the caller with roles, made visible", () => {
    render(<Caller caller={{ subject: "dr-\u202Ealder", roles: ["clinician"] }} />);
    const text = screen.getByText(/Acting for/).textContent!;
    expect(text).toContain("(clinician)");
    expect(text).not.toContain("\u202E");
  });
  it("says that the token has expired", () => {
    render(<Caller caller={{ subject: "", expired: true }} />);
    screen.getByText(/has expired/);
  });
});
