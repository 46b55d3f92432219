import { useQuery } from "@tanstack/react-query";
import type { BlobRef } from "@/journal/blob";
import { readText } from "@/transport/text";

/** Reads a blob. It is named by its content, so it never has to be read twice. */
export function useBlob(blob: BlobRef | null, wanted = true) {
  return useQuery({
    queryKey: ["blob", blob?.blob ?? ""],
    queryFn: ({ signal }) => readText(`/api/blobs/${encodeURIComponent(blob!.blob)}`, signal),
    enabled: blob !== null && wanted,
    staleTime: Infinity,
  });
}
