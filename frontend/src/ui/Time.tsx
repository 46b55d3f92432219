import { useEffect, useState } from "react";
import { absoluteTime, relativeTime } from "@/text/format";

/** Re-renders every half minute. */
export function useNow(every = 30_000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}

/** Relative, with the absolute time on hover. What has happened is not ahead, unless it is said to come. */
export function Time({ at, className = "", ahead = false }: { at: string; className?: string; ahead?: boolean }) {
  useNow();
  // Not the time of the last tick: what came since would be ahead of it.
  const now = Date.now();
  return (
    <time dateTime={at} title={absoluteTime(at)} className={`inline-block max-w-full shrink-0 ${className}`}>
      {relativeTime(at, now, !ahead)}
    </time>
  );
}
