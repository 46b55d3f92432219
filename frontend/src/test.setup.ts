import { cleanup } from "@testing-library/react";
import { afterEach, vi } from "vitest";
import { forgetDrafts } from "@/conversation/drafts";

// Files follow each other in one window: each test leaves it as it was.
afterEach(() => {
  cleanup();
  forgetDrafts(); // one is saved a moment after the last letter, which is within the next test
  vi.useRealTimers();
  document.body.replaceChildren();
  localStorage.clear();
  sessionStorage.clear();
});

// jsdom draws nothing and has no sizes: every test has the room of a large window, unless it says otherwise.
globalThis.matchMedia ??= ((media: string) => ({ media, matches: media.includes("min-"), addEventListener: () => {}, removeEventListener: () => {} })) as unknown as typeof matchMedia;
