/**
 * The page's own secret. Browsers send a cookie to every server of this machine, whatever
 * its port, so the cookie alone opens no data: calls and streams carry this key, too. It
 * comes behind the # of the one-time address, which no server gets to see, and is kept for
 * this origin, port included.
 */
const NAME = "holdpoint.key";

let mine = "";

/** Takes the key out of the address, so that neither history nor a copied address has it. */
export function takeKey(): void {
  const found = /^#key=(\w+)$/.exec(location.hash)?.[1];
  if (!found) return;
  mine = found;
  history.replaceState(history.state, "", location.pathname + location.search);
  try {
    localStorage.setItem(NAME, found);
  } catch {
    // Storage is switched off: the key lasts as long as this page.
  }
}

/** Headers of a request; none in the window, which needs no key. */
export function keyHeader(): Record<string, string> {
  let key = mine;
  try {
    key ||= localStorage.getItem(NAME) ?? "";
  } catch {
    // as above
  }
  return key ? { "X-Holdpoint-Key": key } : {};
}
