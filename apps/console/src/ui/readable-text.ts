/** Characters that people do not see but a model reads: formats, controls, tags, odd spaces. */
const unseen = /[\p{Cf}\p{Co}\u00a0\u2028\u2029]|[^\P{Cc}\n\r\t]/gu;

/** A text with its invisible characters written out: `⟨U+200B⟩`. For what is read character by character. */
export const visibleText = (text: string): string =>
  text.replace(unseen, (one) => `⟨U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`);

/** A value as JSON on several lines; without its inner levels, if it has more than the browser can write. */
export function jsonText(value: unknown, space = 2): string {
  try {
    return JSON.stringify(value, null, space) ?? String(value);
  } catch (error) {
    if (error instanceof RangeError) return Array.isArray(value) ? '[…]' : '{…}';
    throw error;
  }
}
