/** A text as people search for it: in small letters without accents, with blanks, apostrophes and hyphens as keyboards have them. */
export const plain = (text: string): string =>
  text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/[’‘ʼ`´]/g, "'").replace(/[“”„«»]/g, '"').replace(/[‐‑‒–]/g, "-").replace(/œ/g, "oe").replace(/\s+/g, " ").trim();
