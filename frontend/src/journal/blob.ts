import type { Json } from "@/api/types";

/** A large body that the journal only points at. */
export interface BlobRef {
  blob: string;
  size: number;
}

/** The blob that stands in the place of a value; null for anything else. */
export function blobOf(value: Json | undefined): BlobRef | null {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return null;
  const { blob, size, ...rest } = value;
  if (typeof blob !== "string" || !/^sha256:[0-9a-f]{8,64}$/.test(blob) || Object.keys(rest).length > 0) return null;
  return { blob, size: typeof size === "number" ? size : 0 };
}
