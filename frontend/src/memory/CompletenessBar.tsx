import { t } from "@/text/language";
/** A share from 0 to 1 as a bar, a number and a word. */
export function CompletenessBar({ value, threshold, wide }: { value: number; threshold?: number; wide?: boolean }) {
  const percent = Math.round(Math.min(1, Math.max(0, value)) * 100);
  return (
    <span
      className="inline-flex items-center gap-1.5 max-w-full text-xs text-ink-2"
      title={t("memory.completenessHowMuchOfWhatThis", { percent })}
    >
      <span aria-hidden className={`relative h-1.5 overflow-hidden rounded-sm bg-sunken ${wide ? "w-24" : "w-10"}`}>
        <span className="absolute inset-y-0 left-0 bg-accent" style={{ width: `${percent}%` }} />
        {threshold !== undefined && (
          <span className="absolute inset-y-0 w-px bg-ink" style={{ left: `${threshold * 100}%` }} />
        )}
      </span>
      <span className={wide ? "min-w-26" : ""}>
        {percent} %{wide && ` · ${completenessWord(value, threshold ?? 0.4)}`}
      </span>
    </span>
  );
}

export function completenessWord(value: number, threshold: number): string {
  if (value <= 0) return t("memory.empty");
  if (value < threshold) return t("memory.thin");
  return value >= 0.999 ? t("memory.complete") : t("memory.enough");
}
