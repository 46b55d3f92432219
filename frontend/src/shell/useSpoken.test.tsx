import { renderHook } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { queryClient } from "@/api/query";
import { useSpoken } from "./useSpoken";

// "I chose French in the other window, and the title of my session stayed English until I reloaded."
it("reads again and says its title anew once another language was chosen", () => {
  const again = vi.spyOn(queryClient, "invalidateQueries");
  const view = renderHook(({ chosen, title }: { chosen: string | undefined; title: string }) => useSpoken(chosen, title), { initialProps: { chosen: undefined as string | undefined, title: "Sessions" } });
  view.rerender({ chosen: "en", title: "Sessions" });
  expect(again).not.toHaveBeenCalled();
  view.rerender({ chosen: "fr", title: "Séances" });
  expect(again).toHaveBeenCalledWith(expect.objectContaining({ queryKey: ["api"] }));
  expect(document.title).toBe("Séances");
  view.rerender({ chosen: "fr", title: "(1) Séances" });
  expect(again).toHaveBeenCalledTimes(1);
});
