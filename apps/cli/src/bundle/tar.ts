import { gzipSync } from 'node:zlib';

const block = 512;

/** A gzipped ustar archive (POSIX.1-1988) of texts. Only the owner may read its files. */
export function tarball(files: Map<string, string>, at: Date): Buffer {
  const entries = [...files].flatMap(([name, text]) => {
    const content = Buffer.from(text);
    const rest = (block - (content.length % block)) % block;
    return [header(name, content.length, at), content, Buffer.alloc(rest)];
  });
  return gzipSync(Buffer.concat([...entries, Buffer.alloc(2 * block)]));
}

/** @param name at most 100 bytes */
function header(name: string, size: number, at: Date): Buffer {
  const head = Buffer.alloc(block);
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;
  head.write(name, 0, 100);
  head.write(octal(0o600, 7), 100);
  head.write(octal(0, 7), 108);
  head.write(octal(0, 7), 116);
  head.write(octal(size, 11), 124);
  head.write(octal(Math.floor(at.getTime() / 1000), 11), 136);
  head.write('        0', 148);
  head.write('ustar\x0000', 257);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return head;
}
