/** Whether text can be a header's value: no control character, which is how a header is smuggled into a mail. */
export function isHeaderText(text: string): boolean {
  return !/[\p{Cc}\u2028\u2029]/u.test(text);
}
