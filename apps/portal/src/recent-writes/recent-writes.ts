import { laggingLists, mayLagHeader } from '#libs/contracts';
import { Sweeping } from '#libs/database';
import { askerOf, type Principal } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { type ReplicaUseSettings, SETTINGS } from '../settings.js';
import { RecentWriteRepository } from './recent-write.repository.js';

/** One who changes much is written down this often. */
const renewMs = 1_000;
/** From the moment that a commit is seen on the primary until its log is on the disk, from where a replica gets it. */
const toDiskMs = 1_000;
const sweepEveryMs = 60_000;
const sweepBatch = 1_000;
const readMethods = ['GET', 'HEAD', 'OPTIONS'];
const lists: readonly string[] = Object.values(laggingLists);

/** That somebody was written down, or is being. */
interface Note {
  /** When that began. */
  atMs: number;
  /** Whether it is in Postgres. */
  written: Promise<boolean>;
}

/**
 * Lets lists lag only for those who have changed nothing lately, so that nobody misses what they have just made. A change
 * is written down before its answer is sent, in Postgres, where all processes of the portal find it: for as long as a
 * replica may be behind. By then every replica that is read has it.
 */
@Injectable()
export class RecentWrites extends Sweeping {
  private readonly logger = new Logger('recent-writes');
  private readonly askers = new WeakMap<IncomingMessage, string>();
  private readonly notes = new Map<string, Note>();

  constructor(
    private readonly rows: RecentWriteRepository,
    @Inject(SETTINGS) private readonly settings: ReplicaUseSettings,
  ) {
    super();
    const sweep = (limit: number): Promise<number> => rows.deleteOver(limit);
    this.sweepEvery({ name: 'recent-writes', everyMs: sweepEveryMs, batch: sweepBatch, sweep });
  }

  /** Before a request goes on. */
  async enters({ raw, url }: FastifyRequest, caller: Principal): Promise<void> {
    if (this.settings.DATABASE_REPLICA_URL === null) return;
    const asker = askerOf(caller);
    if (!readMethods.includes(raw.method ?? '')) this.askers.set(raw, asker);
    else if (lists.includes(url.split('?', 1)[0] ?? '') && !(await this.hasWritten(asker))) {
      raw.headers[mayLagHeader] = String(this.settings.REPLICA_MAX_LAG_MS);
    }
  }

  /** Before its answer goes back. @param status what was refused has changed nothing */
  async answers({ raw }: FastifyRequest, status: number): Promise<void> {
    const asker = this.askers.get(raw);
    if (asker === undefined || (status >= 400 && status < 500)) return;
    const nowMs = performance.now();
    const note = this.notes.get(asker);
    // It counts for this change as well, once it is in Postgres.
    if (note && nowMs - note.atMs < renewMs && (await note.written)) return;
    this.forgetOld(nowMs);
    // The oldest first.
    this.notes.delete(asker);
    const written = this.write(asker);
    this.notes.set(asker, { atMs: nowMs, written });
    await written;
  }

  private async write(asker: string): Promise<boolean> {
    try {
      await this.rows.note(asker, this.noteMs);
      return true;
    } catch (error) {
      // It was done all the same: whoever looks from here is shown the primary.
      this.logger.warn({ event: 'recent_write.not_noted', error: String(error) });
      return false;
    }
  }

  private async hasWritten(asker: string): Promise<boolean> {
    const note = this.notes.get(asker);
    if (note && performance.now() - note.atMs < this.noteMs) return true;
    // What is not known is asked of the primary.
    return this.rows.isNoted(asker).catch(() => true);
  }

  private forgetOld(nowMs: number): void {
    for (const [asker, { atMs }] of this.notes) {
      if (nowMs - atMs < this.noteMs) break;
      this.notes.delete(asker);
    }
  }

  /** How long a change counts. */
  private get noteMs(): number {
    return this.settings.REPLICA_MAX_LAG_MS + renewMs + toDiskMs;
  }
}
