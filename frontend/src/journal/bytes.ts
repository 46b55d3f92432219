const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Bytes of text in UTF-8. */
export function utf8Length(text: string): number {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return encoder.encode(text).length;
  return text.length;
}

/** The text after its first `skip` bytes. */
export function sliceBytes(text: string, skip: number): string {
  const bytes = encoder.encode(text);
  return skip >= bytes.length ? "" : decoder.decode(bytes.subarray(skip));
}
