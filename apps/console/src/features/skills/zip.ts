const crcTable = Uint32Array.from({ length: 256 }, (_, n) => {
  let crc = n;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

/** 1980-01-01, the format's first day: the time of an export stays private. */
const firstDay = 0x21;
/** Names are in UTF-8. */
const utf8 = 0x800;

interface ZipFile {
  path: string;
  content: string;
}

/** An archive of a few small texts, uncompressed (APPNOTE.TXT 6.3, without Zip64). */
export function zip(files: readonly ZipFile[]): Blob {
  const encoder = new TextEncoder();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  let offset = 0;
  for (const { path, content } of files) {
    const [name, body] = [encoder.encode(path), encoder.encode(content)];
    const about = [
      20,
      utf8,
      0,
      0,
      firstDay,
      ...wide(crc32(body)),
      ...wide(body.length),
      ...wide(body.length),
      name.length,
      0,
    ];
    parts.push(record(0x04034b50, about), name, body);
    directory.push(record(0x02014b50, [20, ...about, 0, 0, 0, 0, 0, ...wide(offset)]), name);
    offset += 30 + name.length + body.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const end = record(0x06054b50, [0, 0, files.length, files.length, ...wide(size), ...wide(offset), 0]);
  return new Blob([...parts, ...directory, end], { type: 'application/zip' });
}

/** A signature and 16-bit numbers, all little-endian. */
function record(signature: number, words: readonly number[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array([...wide(signature), ...words].flatMap((word) => [word & 0xff, word >>> 8]));
}

/** A 32-bit number as two of 16 bits. */
const wide = (value: number): [number, number] => [value & 0xffff, value >>> 16];

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ (crcTable[(crc ^ byte) & 0xff] ?? 0);
  return ~crc >>> 0;
}
