import { type NormalizedMessage, type OutboundSentPayload, textHash } from '#libs/contracts';
import { Database, type Queryable, Sweeping } from '#libs/database';
import type { DeadJob } from '#libs/queue';
import { Controller, Inject, Injectable, Logger } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { type RouterSettings, SETTINGS } from '../../env.js';
import { Clock, exchangeKept } from './loop-breaker.js';

const forgetEveryMs = 600_000;

/** What Apps sent recently, so that it is recognised when a provider sends it back. */
@Injectable()
export class OutboundRepository {
  constructor(private readonly db: Database) {}

  /** Stores what was sent, and records the reply with the sender that it answers. */
  async note(sent: OutboundSentPayload, nowMs: number): Promise<void> {
    const keys = [...sent.message_ids.map((id) => `id:${id}`), ...(sent.text_hash ? [`text:${sent.text_hash}`] : [])];
    await this.db.query(
      `INSERT INTO router.outbound (app_id, key, at) SELECT $1, key, now() FROM unnest($2::text[]) AS g(key)
       ON CONFLICT (app_id, key) DO UPDATE SET at = excluded.at`,
      [sent.app_id, [...new Set(keys)].sort()],
    );
    await this.db.query(
      `UPDATE router.contact_identity SET replied_at = (replied_at || $2::bigint)[greatest(1, cardinality(replied_at) + 2 - $3):]
        WHERE app_id = $1 AND sender = $4`,
      [sent.app_id, Math.round(nowMs), exchangeKept, sent.sender],
    );
  }

  /** Deletes what was sent longer ago than an echo takes. @returns how many rows */
  async forget(olderThanMs: number, limit: number): Promise<number> {
    const result: unknown = await this.db.query(
      `DELETE FROM router.outbound WHERE (app_id, key) IN (
         SELECT app_id, key FROM router.outbound WHERE at < now() - make_interval(secs => $1) LIMIT $2)`,
      [olderThanMs / 1000, limit],
    );
    return (result as [unknown[], number])[1];
  }
}

@Controller()
export class OutboundHandler extends Sweeping {
  private readonly logger = new Logger('outbound.sent');

  constructor(
    private readonly outbound: OutboundRepository,
    private readonly clock: Clock,
    @Inject(SETTINGS) settings: RouterSettings,
  ) {
    super();
    this.sweepEvery({
      name: 'outbound',
      everyMs: forgetEveryMs,
      batch: 1_000,
      sweep: (limit) => this.outbound.forget(settings.ECHO_WINDOW_MS, limit),
    });
  }

  @EventPattern<string>('outbound.sent')
  async sent(@Payload() job: OutboundSentPayload): Promise<void> {
    await this.outbound.note(job, this.clock.nowMs());
  }

  /** One reply will not be recognised; the loop breaker covers that case. */
  @EventPattern<string>('outbound.sent.dead')
  dead(@Payload() job: DeadJob<OutboundSentPayload>): void {
    this.logger.error({ event: 'outbound.sent.dead', code: job.code, reason: job.reason });
  }
}

/** Which of these messages are ours. @returns for each the kind of key that matched, or null */
export async function findEchoes(
  tx: Queryable,
  messages: { app_id: string; message: NormalizedMessage }[],
  withinMs: number,
): Promise<('id' | 'text' | null)[]> {
  const wanted = messages.map(({ app_id, message }) => echoKeys(message).map((key) => ({ app_id, key })));
  const all = wanted.flat();
  if (all.length === 0) return messages.map(() => null);
  const rows = (await tx.query(
    `SELECT app_id, key FROM router.outbound
      WHERE (app_id, key) IN (SELECT * FROM unnest($1::text[], $2::text[])) AND at > now() - make_interval(secs => $3)`,
    [all.map(({ app_id }) => app_id), all.map(({ key }) => key), withinMs / 1000],
  )) as { app_id: string; key: string }[];
  const ours = new Set(rows.map(({ app_id, key }) => `${app_id} ${key}`));
  return wanted.map((keys) => {
    const found = keys.find(({ app_id, key }) => ours.has(`${app_id} ${key}`));
    return found ? (found.key.startsWith('id:') ? 'id' : 'text') : null;
  });
}

/** The keys under which a message would be known if it were one of ours. */
function echoKeys(message: NormalizedMessage): string[] {
  const ids = [message.dedup_key, message.metadata?.['message_id'], message.metadata?.['provider_message_id']];
  const hash = textHash(message.message);
  return [...ids.flatMap((id) => (typeof id === 'string' ? [`id:${id}`] : [])), ...(hash ? [`text:${hash}`] : [])];
}
