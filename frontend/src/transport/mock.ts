import { ApiError } from "@/api/types";
import type { Transport } from "./transport";

export function mockTransport(_scene: string): Transport {
  const none = () => Promise.reject(new ApiError("not_found", "The mock has no such thing."));
  return { kind: "mock", read: none, call: none, journal: () => () => {}, app: () => () => {} };
}
