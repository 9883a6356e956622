/** Whether text can be a header's value: no control characters, since these inject headers. */
export function isHeaderText(text: string): boolean {
  return !/[\p{Cc}\u2028\u2029]/u.test(text);
}
