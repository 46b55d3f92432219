import { ApiError } from "@/api/types";
import { t } from "@/text/language";
import { transport } from "./index";
import { keyHeader } from "./key";
import { errorFrom } from "./transport";

/** Reads a path of the local API as text: exports and blobs, which need not be JSON. */
export async function readText(path: string, signal?: AbortSignal): Promise<string> {
  const own = transport().readText;
  if (own) return own.call(transport(), path);
  let response: Response;
  try {
    response = await fetch(path, { credentials: "same-origin", signal, headers: keyHeader() });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(
      "unreachable",
      t("problems.holdpointDoesNotAnswer"),
      t("problems.checkThatItIsStillRunning2"),
      t("problems.whatWasSavedIsSafe"),
    );
  }
  const text = await response.text();
  if (!response.ok) throw errorFrom(text, response.status);
  return text;
}
