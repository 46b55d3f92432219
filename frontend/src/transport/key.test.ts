import { afterEach, expect, test } from "vitest";
import { keyHeader, takeKey } from "./key";

afterEach(() => localStorage.clear());

// “I copied the address of my page into a mail, and the key to my patients was in it.”
test("the key leaves the address as soon as the page has it", () => {
  history.replaceState(null, "", "/?a=1#key=ABC234");
  takeKey();
  expect(location.href).not.toContain("ABC234");
  expect(location.search).toBe("?a=1");
  expect(keyHeader()).toEqual({ "X-Holdpoint-Key": "ABC234" });
});

// “I reloaded, and Holdpoint said that my page has no key.”
test("a page that was opened before finds its key again", () => {
  history.replaceState(null, "", "/#key=DEF567");
  takeKey();
  history.replaceState(null, "", "/#/records");
  takeKey();
  expect(location.hash).toBe("#/records");
  expect(localStorage.getItem("holdpoint.key")).toBe("DEF567");
});
