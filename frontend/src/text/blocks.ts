/**
 * Cuts Markdown into blocks at blank lines outside of code fences, so that only the
 * block that grows is parsed again while a reply streams in. Indented lines stay
 * with the block before them (they continue a list item).
 */
export function blocks(text: string): string[] {
  const found: string[] = [];
  let current: string[] = [];
  let fence = "";
  let blank = false;
  const flush = () => {
    if (current.length) found.push(current.join("\n"));
    current = [];
  };
  for (const line of text.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? "";
    if (!fence && blank && line.trim() && !/^\s{2,}|^\t/.test(line) && !continuesList(current, line)) flush();
    current.push(line);
    if (fence) {
      if (mark && mark[0] === fence[0] && mark.length >= fence.length && line.trim() === mark) fence = "";
    } else if (mark) fence = mark;
    blank = !fence && line.trim() === "";
  }
  flush();
  return found;
}

const item = /^ {0,3}([-*+]|\d{1,9}[.)])\s/;

/** A list with blank lines between its items is one list. */
function continuesList(block: string[], line: string): boolean {
  return item.test(line) && block.some((entry) => item.test(entry));
}
