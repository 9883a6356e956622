import { randomUUID } from 'node:crypto';
import { statfsSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Receipt } from './receipt.repository.js';
import type { Item } from './write-receipts.js';

/** What was moved only in part is read again from its beginning, so a file has an end. */
const fileBytes = 16_777_216;
const written = '.spool';
/** Nobody appends to it any more. */
const moving = '.moving';

/** The directory takes no more. */
export class SpoolFull extends Error {
  override readonly name = 'SpoolFull';
}

/** A file of the spool that nobody appends to any more. */
export interface SpoolFile extends SpoolContent {
  path: string;
  bytes: number;
}

/**
 * Appends to files of one directory, and reads them back, oldest first. Several processes may share the directory: a file
 * is renamed before it is read, and whoever appended to it notices before it says that the bytes are safe.
 */
export class SpoolFiles {
  private current: { file: FileHandle; path: string; inode: number; bytes: number } | null = null;
  private total = 0;
  /** In the name of the last file. */
  private begunMs = 0;
  /** The last step that writes to the current file, or takes it away: these follow each other. */
  private step: Promise<unknown> = Promise.resolve();

  constructor(
    readonly directory: string,
    private readonly maxBytes: number,
  ) {}

  /** Bytes in the directory, as far as this process knows. */
  get bytes(): number {
    return this.total;
  }

  /** Bytes that the directory still takes: its limit and its disk set them. 0 as well when the disk does not answer. */
  get room(): number {
    try {
      const { bavail, bsize } = statfsSync(this.directory);
      return Math.max(0, Math.min(bavail * bsize, this.maxBytes - this.total));
    } catch {
      return 0;
    }
  }

  /** Makes the directory, and counts what an earlier process left in it. @throws Error that names the directory */
  async open(): Promise<void> {
    try {
      await mkdir(this.directory, { recursive: true, mode: 0o700 });
      const probe = join(this.directory, `${randomUUID()}.probe`);
      await (await open(probe, 'wx', 0o600)).close();
      await rm(probe);
    } catch (error) {
      throw new Error(
        `SPOOL_DIR ${this.directory} cannot be written: ${String(error)}. Let the process own it, or leave SPOOL_DIR empty.`,
        { cause: error },
      );
    }
    await this.count();
  }

  /**
   * Resolves when the receipts are on the disk.
   * @returns for each, in order, an error where there was no room
   */
  async append(spooled: Spooled[]): Promise<(undefined | SpoolFull)[]> {
    const records: Buffer[] = [];
    let bytes = this.total;
    const results = spooled.map((one) => {
      const record = encodeRecord(one);
      if (bytes + record.length > this.maxBytes) return new SpoolFull('the spool is full (SPOOL_MAX_BYTES)');
      bytes += record.length;
      records.push(record);
      return undefined;
    });
    if (records.length > 0) await this.inTurn(() => this.write(Buffer.concat(records)));
    return results;
  }

  /** The oldest file; null: there is none. Nobody appends to it from here on. */
  async oldest(): Promise<SpoolFile | null> {
    const path = await this.inTurn(() => this.takeOldest());
    if (path === null) return null;
    const file = await readFile(path);
    return { path, bytes: file.length, ...readRecords(file) };
  }

  /** A file that were closed between a write and its `datasync` would refuse what it has. */
  private inTurn<R>(step: () => Promise<R>): Promise<R> {
    const ended = this.step.then(step);
    this.step = ended.catch(() => undefined);
    return ended;
  }

  /** @returns the path that nobody appends to; null: there is no file */
  private async takeOldest(): Promise<string | null> {
    const [name] = await this.names();
    if (name === undefined) {
      this.total = 0;
      return null;
    }
    const path = join(this.directory, name);
    if (this.current?.path === path) await this.close();
    if (!name.endsWith(written)) return path;
    const renamed = path.slice(0, -written.length) + moving;
    await rename(path, renamed);
    return renamed;
  }

  /** Removes a file whose receipts are stored, or sets it aside for people where it was damaged. */
  async remove({ path, damaged }: SpoolFile): Promise<void> {
    if (damaged > 0) await rename(path, `${path.slice(0, -moving.length)}.damaged`);
    else await rm(path, { force: true });
    await this.count();
  }

  /** Keeps what Postgres refuses to store, for people. */
  async setAside(spooled: Spooled[]): Promise<void> {
    const file = await open(join(this.directory, `${spooled[0]?.item.receipt.id}.refused`), 'w', 0o600);
    await file.writeFile(Buffer.concat([magic, ...spooled.map(encodeRecord)]));
    await file.datasync();
    await file.close();
  }

  async close(): Promise<void> {
    const { current } = this;
    this.current = null;
    await current?.file.close();
  }

  private async write(bytes: Buffer): Promise<void> {
    for (;;) {
      const current = (this.current ??= await this.begin());
      try {
        await current.file.write(bytes, 0, bytes.length, current.bytes);
        await current.file.datasync();
      } catch (error) {
        // Its senders are asked to send again: nothing of it should come back.
        await current.file.truncate(current.bytes).catch(() => undefined);
        await this.close();
        throw error;
      }
      const isThere = await stat(current.path).then(
        ({ ino }) => ino === current.inode,
        () => false,
      );
      if (isThere) {
        current.bytes += bytes.length;
        this.total += bytes.length;
        if (current.bytes >= fileBytes) await this.close();
        return;
      }
      // Another process has taken the file, perhaps without these bytes. A receipt that is stored twice is stored once.
      await this.close();
    }
  }

  private async begin(): Promise<NonNullable<SpoolFiles['current']>> {
    // By time, so that names are in order of age: two of one millisecond, too.
    this.begunMs = Math.max(Date.now(), this.begunMs + 1);
    const path = join(this.directory, `${this.begunMs.toString().padStart(15, '0')}-${randomUUID()}${written}`);
    const file = await open(path, 'wx', 0o600);
    await file.write(magic);
    await file.datasync();
    this.total += magic.length;
    // The name of a file is on the disk only when its directory is.
    const directory = await open(this.directory, 'r');
    await directory.sync().finally(() => directory.close());
    const { ino: inode } = await file.stat();
    return { file, path, inode, bytes: magic.length };
  }

  private async names(): Promise<string[]> {
    const names = await readdir(this.directory);
    return names.filter((name) => name.endsWith(written) || name.endsWith(moving)).toSorted();
  }

  private async count(): Promise<void> {
    const sizes = await Promise.all(
      (await this.names()).map((name) =>
        stat(join(this.directory, name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
    );
    this.total = sizes.reduce((sum, size) => sum + size, 0);
  }
}

/** What every file of the spool begins with: its name and the version of its form. */
export const magic = Buffer.from('GHSPOOL1');
const headBytes = 8;

/** A receipt that was acknowledged while Postgres did not answer. */
export interface Spooled {
  item: Item;
  spooledAt: Date;
}

/** What a file of the spool holds. */
interface SpoolContent {
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
