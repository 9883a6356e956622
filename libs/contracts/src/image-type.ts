/** What models take, by its first bytes: what a server or a sender calls it does not count. */
const formats: readonly [type: string, starts: (bytes: Buffer) => boolean][] = [
  ['image/png', (bytes) => bytes.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))],
  ['image/jpeg', (bytes) => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))],
  ['image/gif', (bytes) => ['GIF87a', 'GIF89a'].includes(bytes.toString('latin1', 0, 6))],
  ['image/webp', (bytes) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'],
];

/** The media type of an image that models take; null: it is another file. */
export function imageTypeOf(bytes: Buffer): string | null {
  return formats.find(([, starts]) => starts(bytes))?.[0] ?? null;
}
