import { useQuery } from "@tanstack/react-query";
import { queryClient } from "@/api/query";

const key = ["reviewer"];

/** Who decides, from one card to the next: the name is typed once. Null before that, when the settings say who it is. */
export function useReviewer(): { name: string | null; keep(name: string): void } {
  const { data } = useQuery<string | null>({ queryKey: key, queryFn: () => null, enabled: false, gcTime: Infinity, staleTime: Infinity });
  return { name: data ?? null, keep: (name) => void queryClient.setQueryData(key, name) };
}
