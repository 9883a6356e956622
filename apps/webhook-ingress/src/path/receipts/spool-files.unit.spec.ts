import { appendFile, mkdtemp, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { receipt } from '../../testing/receipts-world.js';
import {
  encodeRecord,
  magic,
  readRecords,
  type SpoolFile,
  type Spooled,
  SpoolFiles,
  SpoolFull,
} from './spool-files.js';

const key = { hash: '\x00\xff'.repeat(16), bodyHash: 'é'.repeat(32) };
const spooled = (change: Parameters<typeof receipt>[0] = {}): Spooled => ({
  item: { receipt: receipt(change), keys: [key] },
  spooledAt: new Date('2026-11-27T08:00:00.123Z'),
});

describe('the spool on the disk', () => {
  let directory: string;
  let files: SpoolFiles;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'spool-'));
    files = await opened();
  });
  afterEach(async () => {
    await files.close();
    await rm(directory, { recursive: true, force: true });
  });

  const opened = async (maxBytes = 1_000_000): Promise<SpoolFiles> => {
    const made = new SpoolFiles(directory, maxBytes);
    await made.open();
    return made;
  };
  const onlyFile = async (): Promise<string> => join(directory, (await readdir(directory))[0] ?? '');

  it('says how much it still takes: what its limit leaves, and nothing where the disk does not answer', async () => {
    const before = files.room;
    expect(before).toBeLessThanOrEqual(1_000_000);
    await files.append([spooled({ body: Buffer.alloc(500_000) })]);
    expect(before - files.room).toBeGreaterThanOrEqual(500_000);
    await rm(directory, { recursive: true });
    expect(files.room).toBe(0);
  });

  it('refuses nothing that is appended while its file is taken away', async () => {
    const given = new Set<string>();
    const taken = new Set<string>();
    const take = async (file: SpoolFile | null): Promise<boolean> => {
      for (const { item } of file?.spooled ?? []) taken.add(item.receipt.id);
      if (file) await files.remove(file);
      return file !== null;
    };
    files = await opened(64_000_000);
    for (let n = 0; n < 5; n += 1) {
      // Writing it takes long enough for the file to be found meanwhile.
      const [before, meanwhile] = [spooled(), spooled({ body: Buffer.alloc(8_000_000) })];
      given.add(before.item.receipt.id).add(meanwhile.item.receipt.id);
      await files.append([before]);
      const [, file] = await Promise.all([files.append([meanwhile]), files.oldest()]);
      await take(file);
    }
    while (await take(await files.oldest()));
    expect(taken).toEqual(given);
  });

  it('gives back what was appended, byte for byte and in order, then is empty', async () => {
    const all = [
      spooled({ body: Buffer.from(Array.from({ length: 512 }, (_, n) => n % 256)) }),
      spooled({ body: Buffer.alloc(0), verifiedScheme: null, outcome: 'held', url: '/😀\n"' }),
      spooled({ headers: { 'x-many': ['a', 'é'] } }),
    ];
    expect(await files.append(all.slice(0, 2))).toEqual([undefined, undefined]);
    await files.append(all.slice(2));
    const file = (await files.oldest())!;
    expect(file).toMatchObject({ spooled: all, tornBytes: 0, damaged: 0 });
    await files.remove(file);
    expect(await files.oldest()).toBeNull();
    expect(files.bytes).toBe(0);
    expect(await readdir(directory)).toEqual([]);
  });

  it('is found by the next process, oldest file first, and only its owner can read it', async () => {
    const [first, second] = [spooled(), spooled()];
    await files.append([first]);
    await files.close();
    await files.append([second]);
    await files.close();
    const next = await opened();
    expect(next.bytes).toBe(files.bytes);
    expect((await stat(await onlyFile())).mode & 0o777).toBe(0o600);
    const file = (await next.oldest())!;
    expect(file.spooled).toEqual([first]);
    await next.remove(file);
    expect((await next.oldest())?.spooled).toEqual([second]);
  });

  it.each([1, 5, 9, 40])(
    'is read up to a record whose last %i bytes were not written, which is named',
    async (missing) => {
      const [whole, torn] = [spooled(), spooled()];
      await files.append([whole, torn]);
      await files.close();
      const path = await onlyFile();
      const { size } = await stat(path);
      await truncate(path, size - missing);
      const file = (await files.oldest())!;
      expect(file).toMatchObject({ spooled: [whole], tornBytes: encodeRecord(torn).length - missing });
    },
  );

  it('leaves out a record that the disk has changed, reads those behind it, and keeps the file for people', async () => {
    const all = [spooled(), spooled(), spooled()];
    await files.append(all);
    await files.close();
    const path = await onlyFile();
    const bytes = await readFile(path);
    const at = magic.length + encodeRecord(all[0]!).length + 30;
    bytes[at] = bytes[at]! ^ 1;
    await writeFile(path, bytes);
    const file = (await files.oldest())!;
    expect(file).toMatchObject({ spooled: [all[0], all[2]], damaged: 1, tornBytes: 0 });
    await files.remove(file);
    expect(await readdir(directory)).toEqual([expect.stringMatching(/\.damaged$/)]);
  });

  it('takes zeros behind the last record for no receipt', async () => {
    await files.append([spooled()]);
    await files.close();
    await appendFile(await onlyFile(), Buffer.alloc(100));
    expect((await files.oldest())?.spooled).toHaveLength(1);
    expect(readRecords(Buffer.from('something else')).spooled).toEqual([]);
  });

  it('refuses what does not fit, and takes what does', async () => {
    files = await opened(3_000);
    const [large, small] = [spooled({ body: Buffer.alloc(5_000) }), spooled()];
    const [refused, taken] = await files.append([large, small]);
    expect(refused).toBeInstanceOf(SpoolFull);
    expect(taken).toBeUndefined();
    expect((await files.oldest())?.spooled).toEqual([small]);
  });

  it('is not said to be safe in a file that another process has taken meanwhile', async () => {
    const [first, second] = [spooled(), spooled()];
    await files.append([first]);
    const path = await onlyFile();
    await rename(path, path.replace('.spool', '.moving'));
    await files.append([second]);
    expect(await readdir(directory)).toHaveLength(2);
    await rm(path.replace('.spool', '.moving'));
    expect((await files.oldest())?.spooled).toEqual([second]);
  });

  it('names a directory that cannot be written, and what to do', async () => {
    await writeFile(join(directory, 'file'), '');
    await expect(new SpoolFiles(join(directory, 'file'), 1).open()).rejects.toThrow(
      /SPOOL_DIR .*file.*Let the process own it/s,
    );
  });
});
