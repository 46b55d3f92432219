import { useEffect, useRef } from "react";
import { readAllAgain } from "@/api/query";

/** Keeps the window's title, and reads again once another language was chosen: titles of sessions and other words of the program's other side were read in the one before. */
export function useSpoken(chosen: string | undefined, title: string): void {
  useEffect(() => {
    document.title = title;
  }, [title]);
  const spoken = useRef(chosen);
  useEffect(() => {
    if (chosen === undefined) return;
    if (spoken.current !== undefined && spoken.current !== chosen) readAllAgain();
    spoken.current = chosen;
  }, [chosen]);
}
