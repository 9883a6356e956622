/** The character that ends before an offset, or an empty string. */
export function characterBefore(text: string, offset: number): string {
  const low = text.charCodeAt(offset - 1);
  const wide = low >= 0xdc00 && low <= 0xdfff && offset >= 2;
  return text.slice(Math.max(0, offset - (wide ? 2 : 1)), offset);
}

/** The character that starts at an offset, or an empty string. */
export function characterAt(text: string, offset: number): string {
  const code = text.codePointAt(offset);
  return code === undefined ? '' : String.fromCodePoint(code);
}
