import { httpTransport } from "./http";
import type { Transport } from "./transport";
import { inWindow, wailsTransport } from "./wails";

export type { LinkState, Transport } from "./transport";

let current: Transport | null = null;

/** Chooses the adapter once, before anything renders. The mock exists only in builds that are not for release. */
export async function chooseTransport(): Promise<Transport> {
  if (current) return current;
  if (import.meta.env.MODE !== "production" && new URLSearchParams(location.search).has("mock")) {
    const { mockTransport } = await import("./mock");
    current = mockTransport(new URLSearchParams(location.search).get("mock") ?? "");
  } else {
    current = inWindow() ? wailsTransport() : httpTransport();
  }
  return current;
}

/** Tests put their own transport in. */
export function setTransport(transport: Transport): void {
  current = transport;
}

export function transport(): Transport {
  if (!current) throw new Error("transport: not chosen yet");
  return current;
}
