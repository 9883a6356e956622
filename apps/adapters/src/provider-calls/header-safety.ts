/** Whether text can be a header's value as it is: visible ASCII, no space, at most 4096 characters. */
export function isHeaderSafe(text: string): boolean {
  return /^[\x21-\x7e]{1,4096}$/.test(text);
}
