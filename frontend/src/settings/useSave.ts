import { useState } from "react";
import { queryClient } from "@/api/query";
import { transport } from "@/transport";
import { say } from "@/ui/toasts";

/** A call of a form about what is read under /api/{what}: what went wrong stays beside the form. */
export function useSave(what: string) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const save = async (name: string, body: Record<string, unknown>, said: string) => {
    setBusy(true);
    setFailure(null);
    try {
      await transport().call(name, body);
      say(said);
      return true;
    } catch (error) {
      setFailure(error);
      return false;
    } finally {
      setBusy(false);
      void queryClient.invalidateQueries({ queryKey: ["api", what] });
    }
  };
  return { busy, failure, save };
}
