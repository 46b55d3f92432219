import { cleanup } from "@testing-library/react";
import { afterEach } from "vitest";

afterEach(() => cleanup());

// jsdom draws nothing and has no sizes: every test has the room of a large window, unless it says otherwise.
globalThis.matchMedia ??= ((media: string) => ({ media, matches: media.includes("min-"), addEventListener: () => {}, removeEventListener: () => {} })) as unknown as typeof matchMedia;
