/** The address if it may be opened at all: https and mailto, nothing else; null otherwise. */
export function safeHref(raw: string | undefined | null): string | null {
  if (!raw) return null;
  // Browsers ignore white space and control characters in schemes; nobody writes those honestly.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
  if (/[\u0000-\u0020\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\\]/.test(raw)) return null;
  let url: URL;
  try {
    url = new URL(raw);
  } catch {
    return null;
  }
  if (url.protocol === "mailto:") return url.href;
  if (url.protocol !== "https:" || !url.hostname || url.username || url.password) return null;
  return url.href;
}
