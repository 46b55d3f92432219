/** Puts text on the clipboard; rejects where the page may not. `clientInformation` is the browser's own object for it, by the standard's second name. */
export const copyText = (text: string): Promise<void> => clientInformation.clipboard.writeText(text);
