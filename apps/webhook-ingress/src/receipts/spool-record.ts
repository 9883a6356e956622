import { crc32 } from 'node:zlib';
import type { Receipt } from './receipt.js';
import type { Item } from './write-receipts.js';

/** What every file of the spool begins with: its name and the version of its form. */
export const magic = Buffer.from('GHSPOOL1');
const headBytes = 8;

/** A receipt that was acknowledged while Postgres did not answer. */
export interface Spooled {
  item: Item;
  spooledAt: Date;
}

/** What a file of the spool holds. */
export interface SpoolContent {
  spooled: Spooled[];
  /** Bytes of a record at its end that is not whole: its write was interrupted, so nobody was answered. */
  tornBytes: number;
  /** Records whose checksum is wrong. */
  damaged: number;
}

/** Everything of a receipt but its body; hashes as base64. */
interface Header extends Omit<Receipt, 'receivedAt' | 'body'> {
  receivedAt: string;
  spooledAt: string;
  keys: { hash: string; bodyHash: string }[];
}

/**
 * One record: its length, the CRC-32 of what follows (both 32 bits, little-endian), the length of the header, the header
 * as JSON, and the body as it was received.
 */
export function encodeRecord({ item: { receipt, keys }, spooledAt }: Spooled): Buffer {
  const { receivedAt, body, ...rest } = receipt;
  const header: Header = {
    ...rest,
    receivedAt: receivedAt.toISOString(),
    spooledAt: spooledAt.toISOString(),
    keys: keys.map(({ hash, bodyHash }) => ({ hash: base64(hash), bodyHash: base64(bodyHash) })),
  };
  const text = Buffer.from(JSON.stringify(header));
  const record = Buffer.allocUnsafe(headBytes + 4 + text.length + body.length);
  record.writeUInt32LE(record.length - headBytes, 0);
  record.writeUInt32LE(text.length, headBytes);
  text.copy(record, headBytes + 4);
  body.copy(record, headBytes + 4 + text.length);
  record.writeUInt32LE(crc32(record.subarray(headBytes)), 4);
  return record;
}

/** Reads what is whole. A record that is damaged is left out, those behind it are read. */
export function readRecords(file: Buffer): SpoolContent {
  const content: SpoolContent = { spooled: [], tornBytes: 0, damaged: 0 };
  if (!file.subarray(0, magic.length).equals(magic)) return { ...content, tornBytes: file.length };
  for (let at = magic.length; at < file.length;) {
    const end = at + headBytes <= file.length ? at + headBytes + file.readUInt32LE(at) : Infinity;
    if (end > file.length) return { ...content, tornBytes: file.length - at };
    const payload = file.subarray(at + headBytes, end);
    const spooled = crc32(payload) === file.readUInt32LE(at + 4) ? decoded(payload) : null;
    if (spooled) content.spooled.push(spooled);
    else content.damaged += 1;
    at = end;
  }
  return content;
}

/** @returns null for zeros, whose checksum is that of nothing */
function decoded(payload: Buffer): Spooled | null {
  if (payload.length < 4) return null;
  const bodyAt = 4 + payload.readUInt32LE(0);
  const { receivedAt, spooledAt, keys, ...rest } = JSON.parse(payload.toString('utf8', 4, bodyAt)) as Header;
  // A copy: a slice would keep the whole file in memory for as long as one receipt waits.
  const body = Buffer.from(payload.subarray(bodyAt));
  return {
    item: {
      receipt: { ...rest, receivedAt: new Date(receivedAt), body },
      keys: keys.map(({ hash, bodyHash }) => ({ hash: latin1(hash), bodyHash: latin1(bodyHash) })),
    },
    spooledAt: new Date(spooledAt),
  };
}

const base64 = (hash: string): string => Buffer.from(hash, 'latin1').toString('base64');
const latin1 = (text: string): string => Buffer.from(text, 'base64').toString('latin1');
