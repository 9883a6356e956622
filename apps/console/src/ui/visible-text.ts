/** Characters that nobody sees and that a model reads: formats, controls, tags, odd spaces. */
const unseen = /[\p{Cf}\p{Co}\u00a0\u2028\u2029]|[^\P{Cc}\n\r\t]/gu;

/** A text with what nobody would see of it written out: `⟨U+200B⟩`. */
export const visibleText = (text: string): string =>
  text.replace(unseen, (one) => `⟨U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
