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

/** Relative, with the absolute time on hover. */
export function Time({ at, className = "" }: { at: string; className?: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={absoluteTime(at)} className={`whitespace-nowrap ${className}`}>
      {relativeTime(at, now)}
    </time>
  );
}
