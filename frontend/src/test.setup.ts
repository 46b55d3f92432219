import { cleanup } from "@testing-library/react";
import { afterEach, vi } from "vitest";

// Files follow each other in one window: each test leaves it as it was.
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  document.body.replaceChildren();
  localStorage.clear();
  sessionStorage.clear();
});

// jsdom draws nothing and has no sizes: every test has the room of a large window, unless it says otherwise.
globalThis.matchMedia ??= ((media: string) => ({ media, matches: media.includes("min-"), addEventListener: () => {}, removeEventListener: () => {} })) as unknown as typeof matchMedia;
