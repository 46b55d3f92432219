import type { Manifest, ManifestStage } from "@/api/types";
import { plain } from "@/text/names";
import { told } from "@/text/told";
import { visibleText } from "@/text/visible";

/** What a graph calls its stages and its conditions. */
export interface Words {
  stage(id: string): string;
  condition(name: string): string;
}

/** Without a graph: names without underscores. */
export const plainWords: Words = {
  stage: (id) => visibleText(plain(id.split("/").pop()!)),
  condition: (name) => visibleText(plain(name)),
};

export function wordsOf(manifest: Pick<Manifest, "stages" | "conditions"> | undefined): Words {
  if (!manifest) return plainWords;
  const conditions = new Map((manifest.conditions ?? []).map(({ name, title }) => [name, title]));
  return {
    stage: (id) => {
      const title = find(manifest.stages, id)?.title;
      return title ? told(visibleText(title)) : plainWords.stage(id);
    },
    condition: (name) => told(visibleText(conditions.get(name) || plain(name))),
  };
}

function find(stages: readonly ManifestStage[] | null | undefined, path: string): ManifestStage | undefined {
  const [head, ...rest] = path.split("/");
  const stage = stages?.find(({ id }) => id === head);
  return rest.length ? find(stage?.stages, rest.join("/")) : stage;
}
