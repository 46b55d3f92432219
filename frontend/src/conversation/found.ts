const apart = "p,li,td,th,pre,h1,h2,h3,h4,h5,h6,dt,dd,summary,button,label,div,section,article,header,footer,figure";

/** Where a text stands in what an element shows, in any case; it may run over several pieces of a paragraph. */
export function found(root: HTMLElement, text: string): Range[] {
  const wanted = text.toLowerCase();
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, {
    acceptNode: (node) => (node.parentElement?.closest(".sr-only, textarea, [data-find]") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT),
  });
  const out: Range[] = [];
  let pieces: { node: Text; from: number }[] = [];
  let all = "";
  let block: Element | null = null;
  const search = () => {
    for (let at = all.indexOf(wanted); at >= 0; at = all.indexOf(wanted, at + wanted.length)) {
      const [start, end] = [placeOf(pieces, at), placeOf(pieces, at + wanted.length - 1)];
      if (!start || !end) continue;
      const range = document.createRange();
      range.setStart(start.node, start.offset);
      range.setEnd(end.node, end.offset + 1);
      out.push(range);
    }
    pieces = [];
    all = "";
  };
  for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null) {
    const own = node.parentElement?.closest(apart) ?? null;
    if (own !== block) search();
    block = own;
    pieces.push({ node, from: all.length });
    const small = node.data.toLowerCase();
    // A letter whose small form is longer would move all that follows.
    all += small.length === node.data.length ? small : node.data;
  }
  search();
  return out;
}

function placeOf(pieces: readonly { node: Text; from: number }[], at: number): { node: Text; offset: number } | null {
  const piece = pieces.findLast(({ from }) => from <= at);
  return piece ? { node: piece.node, offset: at - piece.from } : null;
}
