import type { Manifest, ManifestStage } from "@/api/types";
import { t } from "@/text/language";
import { dashes } from "./Way";

const kinds = () => [
  ["conditional", t("graph.ifAConditionHolds")],
  ["choice", t("graph.chosenByAModelOrA")],
  ["match", t("graph.ifTheOutputEquals")],
  ["error", t("graph.afterAFailure")],
] as const;

const kindsIn = (level: { edges?: Manifest["edges"] | null; stages?: ManifestStage[] | null }): string[] => [
  ...(level.edges ?? []).map(({ type }) => type),
  ...(level.stages ?? []).flatMap(kindsIn),
];

/** What the lines mean, of those that this graph has; nothing for a graph of plain ways. */
export function Legend({ manifest }: { manifest: Manifest }) {
  const found = new Set(kindsIn(manifest));
  if (!found.has("choice") && !found.has("match") && !found.has("error")) return null;
  return (
    <ul aria-label={t("graph.legend")} className="flex flex-wrap gap-x-3 text-xs text-ink-3">
      {kinds().filter(([kind]) => found.has(kind)).map(([kind, words]) => (
        <li key={kind} className="flex items-center gap-1">
          <svg aria-hidden width="26" height="6" className="shrink-0">
            <line x1="1" x2="25" y1="3" y2="3" stroke="var(--ink-3)" strokeWidth="2" strokeDasharray={dashes[kind]} strokeLinecap={kind === "choice" ? "round" : undefined} />
          </svg>
          {words}
        </li>
      ))}
    </ul>
  );
}
