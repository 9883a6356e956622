import { Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { appendFile, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Refusal } from './refusal.entity.js';

const suffix = '.refusals';

/**
 * Refusals on the local disk while Postgres takes none, for the process that comes after this one. This one has them in
 * memory, so a file may be removed once all that was in it is stored.
 */
export class RefusalFile {
  private readonly logger = new Logger('refusals');
  private readonly own: string;
  private readonly files = new Set<string>();

  /** @param directory null: nothing is kept */
  constructor(private readonly directory: string | null) {
    this.own = `${randomUUID()}${suffix}`;
  }

  /** What earlier processes have left. */
  async left(): Promise<Refusal[]> {
    if (this.directory === null) return [];
    const names = await readdir(this.directory).catch(() => []);
    const left: Refusal[] = [];
    const found = names.filter((each) => each.endsWith(suffix));
    for (const name of found) {
      const text = await readFile(join(this.directory, name), 'utf8').catch(() => '');
      // A line that is not whole was being written when the process died.
      for (const line of text.split('\n')) left.push(...readLine(line));
    }
    // Not before: what is stored meanwhile would remove files whose refusals wait for nobody yet.
    for (const name of found) this.files.add(name);
    return left;
  }

  async append(refusals: Refusal[]): Promise<void> {
    if (this.directory === null || refusals.length === 0) return;
    const lines = refusals.map(
      (one) => `${JSON.stringify({ ...one, key_hash: one.key_hash?.toString('hex') ?? null })}\n`,
    );
    this.files.add(this.own);
    await appendFile(join(this.directory, this.own), lines.join(''), { mode: 0o600 }).catch((error: unknown) =>
      this.logger.warn({ event: 'refusals.not_on_disk', error: String(error) }),
    );
  }

  /** All that was appended, or found, is stored. */
  async clear(): Promise<void> {
    if (this.directory === null) return;
    const names = [...this.files];
    for (const name of names) {
      await rm(join(this.directory, name), { force: true });
      this.files.delete(name);
    }
  }
}

function readLine(line: string): Refusal[] {
  try {
    const read = JSON.parse(line) as Refusal & { key_hash: unknown };
    const keyHash = typeof read.key_hash === 'string' ? Buffer.from(read.key_hash, 'hex') : null;
    const lastAt = read.last_at === null ? null : new Date(read.last_at);
    return [{ ...read, at: new Date(read.at), last_at: lastAt, key_hash: keyHash }];
  } catch {
    // Its end is missing: the rest of the file counts.
    return [];
  }
}
