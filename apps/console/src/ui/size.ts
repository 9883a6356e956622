const kb = 1_024;

/** A number of bytes, in short form. */
export function size(bytes: number): string {
  if (bytes < kb) return `${bytes} B`;
  if (bytes < kb * kb) return `${(bytes / kb).toFixed(1)} KB`;
  return `${(bytes / kb / kb).toFixed(1)} MB`;
}
