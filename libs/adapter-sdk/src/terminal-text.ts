/** Characters that move a cursor, change colours or turn a line around, except line breaks and tabs. */
const unseen = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Text for a person at a terminal: what others wrote shows, and does nothing. */
export function terminalText(text: string): string {
  return text.replaceAll(unseen, '\ufffd');
}

/** JSON for programs, with the same value: what a terminal would obey is escaped. */
export function terminalJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(unseen, (one) =>
    one
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
