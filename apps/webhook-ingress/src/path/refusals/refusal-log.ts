import { type Endpoint, newId } from '#libs/contracts';
import { isRefusedRow, Sweeping } from '#libs/database';
import { Metrics } from '#libs/service-kit';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { createHash, hash as digest, randomUUID } from 'node:crypto';
import { appendFile, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Refusal } from '../../entities/ingress.entity.js';
import { type IngressSettings, SETTINGS } from '../../env.js';
import { deliveryIdOf, type Incoming, type Refused } from '../request/incoming.js';
import { RefusalRepository } from './refusal.repository.js';

const sweepEveryMs = 250;
const batch = 200;
const returnsEveryMs = 5_000;
/** A receipt's transaction commits well after its time, above all one that waited for Postgres. */
const overlapMs = 120_000;
/** After this many looks, all of it is looked at. */
const wholeEvery = 120;
/** How long a sender may take to send something again: GitHub lets it be asked for for three days. */
const daysBack = 3;
/** Of a sender's own id of a delivery. */
const idChars = 200;
/** Of files on the disk. */
const suffix = '.refusals';

type LogSettings = Pick<IngressSettings, 'SPOOL_DIR' | 'REFUSALS_MAX_WAITING'>;

/**
 * Keeps why requests were refused, without their bodies, and whether they came back. While Postgres takes none they
 * wait here, and in a file where the ingress has a directory: what is refused in an outage is what nobody else knows of.
 */
@Injectable()
export class RefusalLog extends Sweeping implements OnApplicationShutdown {
  private readonly logger = new Logger('refusals');
  private readonly waiting = new Map<string, Refusal>();
  /** By App, code and sender, the last one that waits: further ones are counted there where they are too many. */
  private readonly last = new Map<string, Refusal>();
  private readonly file: RefusalFile;
  private onDisk = new Set<string>();
  private dropped = 0;
  private looks = 0;

  constructor(
    private readonly rows: RefusalRepository,
    private readonly metrics: Metrics,
    @Inject(SETTINGS) private readonly settings: LogSettings,
  ) {
    super();
    this.file = new RefusalFile(settings.SPOOL_DIR);
    this.sweepEvery({ name: 'refusals', everyMs: sweepEveryMs, batch, sweep: (limit) => this.store(limit) });
    const sweep = (): Promise<number> => this.noteReturned();
    this.sweepEvery({ name: 'refusals-returned', everyMs: returnsEveryMs, batch: 1, sweep });
    const help = 'Refused webhooks that are not written down yet, because Postgres does not take them';
    metrics.gauge('gatehouse_refusals_waiting', help, () => this.waiting.size);
  }

  override onApplicationBootstrap(): void {
    void this.file.left().then((left) => {
      for (const refusal of left) {
        this.waiting.set(refusal.id, this.rows.create(refusal));
        this.onDisk.add(refusal.id);
      }
    });
    super.onApplicationBootstrap();
  }

  record(endpoint: Endpoint, incoming: Incoming, refused: Pick<Refused, 'status' | 'code'>): void {
    this.metrics.outcomes.inc({ stage: 'received', outcome: 'refused' });
    const { code, status } = refused;
    const sender = `${endpoint.app_id} ${code} ${incoming.remoteAddress}`;
    const isFull = this.waiting.size >= this.settings.REFUSALS_MAX_WAITING;
    if (status === 429 || isFull) {
      const before = this.last.get(sender);
      if (before && this.waiting.has(before.id)) {
        before.times += 1;
        before.last_at = new Date();
        return;
      }
      if (isFull) {
        this.dropped += 1;
        return;
      }
    }
    const id = deliveryIdOf(endpoint, incoming.headers);
    const refusal = this.rows.create({
      id: newId('evt'),
      at: new Date(),
      organization_id: endpoint.organization_id,
      project_id: endpoint.project_id,
      app_id: endpoint.app_id,
      code,
      method: incoming.method,
      header_names: Object.keys(incoming.headers).sort().join(','),
      body_bytes: incoming.body.length,
      body_sha256: createHash('sha256').update(incoming.body).digest('hex'),
      remote_address: incoming.remoteAddress,
      times: 1,
      last_at: null,
      delivery_id: id?.value.slice(0, idChars) ?? null,
      key_hash: id && digest('sha256', id.key, 'buffer'),
      event_id: null,
    });
    this.waiting.set(refusal.id, refusal);
    this.last.set(sender, refusal);
    const { id: refusal_id, app_id: app, remote_address } = refusal;
    this.logger.log({ event: 'webhook.refused', refusal: refusal_id, app, code, status, remote_address });
  }

  async onApplicationShutdown(): Promise<void> {
    while (this.waiting.size > 0) {
      const stored = await this.store(batch).catch(() => 0);
      if (stored === 0) break;
    }
  }

  /** @returns how many were stored, or can never be */
  private async store(limit: number): Promise<number> {
    const some = [...this.waiting.values()].slice(0, limit);
    if (some.length === 0) return 0;
    try {
      await this.write(some);
    } catch (error) {
      const fresh = [...this.waiting.values()].filter(({ id }) => !this.onDisk.has(id));
      await this.file.append(fresh);
      for (const { id } of fresh) this.onDisk.add(id);
      throw error;
    }
    for (const { id } of some) this.waiting.delete(id);
    if (this.waiting.size === 0) await this.settled();
    return some.length;
  }

  /** A row that Postgres will never take does not hold up the others. */
  private async write(some: Refusal[]): Promise<void> {
    try {
      await this.rows.insert(some);
    } catch (error) {
      if (!isRefusedRow(error)) throw error;
      if (some.length > 1) for (const one of some) await this.write([one]);
      else this.logger.warn({ event: 'refusals.not_kept', error: String(error) });
    }
  }

  private async settled(): Promise<void> {
    this.last.clear();
    this.onDisk = new Set();
    await this.file.clear();
    if (this.dropped > 0) {
      const what_to_do = 'The counts of refusals are whole. To list more of them, raise REFUSALS_MAX_WAITING.';
      this.logger.warn({ event: 'refusals.not_listed', count: this.dropped, what_to_do });
      this.dropped = 0;
    }
  }

  private async noteReturned(): Promise<number> {
    // What was spooled is stored with its time, which may be long ago.
    const backMs = this.looks % wholeEvery === 0 ? daysBack * 86_400_000 : overlapMs;
    await this.rows.noteReturned(new Date(Date.now() - backMs), daysBack);
    this.looks += 1;
    return 0;
  }
}

/**
 * Refusals on the local disk while Postgres takes none, for the process that comes after this one. This one has them in
 * memory, so a file may be removed once all that was in it is stored.
 */
class RefusalFile {
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
