import { QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";
import { queryClient } from "@/api/query";
import { FirstRun } from "@/firstrun/FirstRun";
import { mount } from "@/inspector/mount.fixture";
import { setTransport } from "@/transport";
import { MockTransport } from "@/transport/mock";
import { RegionNotice, RegionSelect } from "./Region";
import { SettingsScreen } from "./SettingsScreen";

let mock: MockTransport;
const begin = (scene: "first" | "clinic") => {
  queryClient.clear();
  mock = new MockTransport(scene);
  setTransport(mock);
};
const show = (ui: React.ReactNode) => {
  render(<QueryClientProvider client={queryClient}>{ui}</QueryClientProvider>);
  return userEvent.setup();
};

describe("the region for help lines", () => {
  beforeEach(() => begin("first"));

  it("is asked on the first run, with no country chosen for anybody", async () => {
    const user = show(<FirstRun state={mock.state} />);
    const select = (await screen.findByRole("combobox", { name: "Region" })) as HTMLSelectElement;
    await waitFor(() => expect(select.disabled).toBe(false));
    expect(select.value).toBe("");
    await user.selectOptions(select, "GB");
    await waitFor(() => expect(mock.calls).toContainEqual({ name: "set_setting", body: { key: "region", value: "GB" } }));
    await waitFor(() => expect(select.value).toBe("GB"));
  });

  // "I typed United Kingdom, and Ukraine was my country for a moment."
  it("saves once, when a country is chosen by keys", async () => {
    show(<FirstRun state={mock.state} />);
    const select = (await screen.findByRole("combobox", { name: "Region" })) as HTMLSelectElement;
    await waitFor(() => expect(select.disabled).toBe(false));
    for (const value of ["FR", "US", "GB"]) {
      fireEvent.keyDown(select, { key: "u" });
      fireEvent.change(select, { target: { value } });
    }
    const saved = () => mock.calls.filter(({ name }) => name === "set_setting");
    expect(saved()).toEqual([]);
    fireEvent.keyDown(select, { key: "Enter" });
    fireEvent.blur(select);
    await waitFor(() => expect(saved()).toEqual([{ name: "set_setting", body: { key: "region", value: "GB" } }]));
  });

  it("is asked on every screen until it is chosen", async () => {
    mock.state.first_run = false;
    const user = show(<RegionNotice />);
    const select = await screen.findByRole("combobox");
    await waitFor(() => expect((select as HTMLSelectElement).disabled).toBe(false));
    await user.selectOptions(select, "FR");
    await waitFor(() => expect(screen.queryByRole("combobox")).toBeNull());
  });

  // "I had said France in this conversation, and was still asked where help is."
  it("is not asked above a session that has a region of its own", async () => {
    location.hash = "#/sessions/talk";
    const session = (value: string) => ({
      "/api/state": { region_chosen: false, first_run: false }, "/api/settings": { regions: [] }, "/api/sessions/talk/cards": { asked: [{ id: "country", region: true, say: "Where?", value, answer: value }] },
    });
    const { reads, unmount } = mount(<RegionNotice />, session("FR"));
    await waitFor(() => expect(reads).toContain("/api/sessions/talk/cards"));
    await waitFor(() => expect(screen.queryByRole("region")).toBeNull());
    unmount();
    mount(<RegionNotice />, session(""));
    expect(await screen.findByRole("region", { name: "Region for help lines" })).toBeTruthy();
    location.hash = "";
  });

  it("shows its lines with hours and sources in the settings", async () => {
    begin("clinic");
    show(<SettingsScreen section="" />);
    expect(await screen.findByText(/call 988 \(day and night\)/)).toBeTruthy();
    expect(screen.getByText(/2026-11-21/)).toBeTruthy();
  });
});

// "The help was in French, and the countries to choose from in English."
it("names the countries in the language of the help around it", async () => {
  mount(<RegionSelect language="fr" />, { "/api/settings": { region: "international", region_chosen: false, regions: [{ code: "international", name: "International" }, { code: "GB", name: "United Kingdom" }] } });
  expect(await screen.findByRole("option", { name: "Royaume-Uni" })).toBeTruthy();
  expect(screen.queryByRole("option", { name: "United Kingdom" })).toBeNull();
  expect(screen.getByRole("option", { name: /choisir un pays/i })).toBeTruthy();
});
