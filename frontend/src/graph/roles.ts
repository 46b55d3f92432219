import type { ManifestStage, StageRole } from "@/api/types";

/** The outermost stage that has a role; agents need not have one of each. */
export const stageOf = (stages: readonly ManifestStage[] | undefined, role: StageRole): string | undefined => stages?.find((stage) => stage.role === role)?.id;
