import type { DeliverySendPayload, Order } from '#libs/contracts';
import { isGone, keyset, storableJson, type Transaction } from '#libs/database';
import { entryCtes, type JournalEntry } from '#libs/journal';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { answerLostCode } from './answer-lost.js';
import { DeliveryRow, type DeliveryState } from '../entities/delivery.entity.js';

export interface DeliveryResult {
  id: string;
  /** The claim that the attempt belongs to. */
  claims: number;
  state: DeliveryState;
  from_part: number;
  attempts: number;
  /** A new address, when the provider named one; null keeps the old one. */
  moved_to: string | null;
  error: string | null;
  error_detail: string | null;
  failing_since: Date | null;
  provider_message_id: string | null;
  /** When the sweep may take an unfinished delivery; null for a settled one. */
  lease_until: Date | null;
  /** Its entry for the timeline. */
  entry: JournalEntry | null;
}

/** A row as the claim returns it, and whether its job is surplus. */
export type ClaimedDelivery = DeliveryRow & { claims: number; surplus?: true };

@Injectable()
export class DeliveryRepository {
  constructor(@InjectRepository(DeliveryRow) private readonly rows: Repository<DeliveryRow>) {}

  /**
   * Inserts new deliveries, and takes the lease of those that nobody holds.
   * @returns the claimed rows, without those that are leased or settled
   */
  async claim(jobs: DeliverySendPayload[], owner: string, leaseMs: number): Promise<ClaimedDelivery[]> {
    // In id order: batches of two processes that share ids would otherwise deadlock.
    const sorted = [...new Map(jobs.map((job) => [job.delivery_id, job])).values()].sort((a, b) =>
      a.delivery_id < b.delivery_id ? -1 : 1,
    );
    const column = <T>(of: (job: DeliverySendPayload) => T): T[] => sorted.map(of);
    return (await this.rows.query(
      `INSERT INTO gateway.delivery AS d (id, organization_id, project_id, app_id, receipt_id, turn_id, content, state,
         attempts, claims, from_part, lease_owner, lease_until, created_at)
       SELECT id, org, prj, app, receipt, turn, content, 'sending', 1, 1, 0, $9, now() + make_interval(secs => $8), now()
         FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::jsonb[])
           AS t(id, org, prj, app, receipt, turn, content)
       ON CONFLICT (id) DO UPDATE SET state = 'sending', attempts = d.attempts + 1, claims = d.claims + 1,
         lease_owner = excluded.lease_owner, lease_until = now() + make_interval(secs => $8)
         WHERE d.state IN ('queued', 'sending') AND (d.lease_until IS NULL OR d.lease_until < now())
       RETURNING *`,
      [
        column((job) => job.delivery_id),
        column((job) => job.organization_id),
        column((job) => job.project_id),
        column((job) => job.content?.target.app_id ?? ''),
        column((job) => job.receipt_id),
        column((job) => job.turn_id),
        column((job) => storableJson(job.content ?? {})),
        leaseMs / 1000,
        owner,
      ],
    )) as ClaimedDelivery[];
  }

  /**
   * Notes, before a call whose repetition may send twice, that its answer is lost. Recording the attempt's outcome takes
   * that back, so it stands only if the process dies meanwhile.
   * @returns false when another claim has taken over
   */
  async markSending({ id, claims }: ClaimedDelivery): Promise<boolean> {
    const result: unknown = await this.rows.query(
      `UPDATE gateway.delivery SET error = $3 WHERE id = $1 AND claims = $2 AND state = 'sending'`,
      [id, claims, answerLostCode],
    );
    return (result as [unknown[], number])[1] > 0;
  }

  /**
   * Stores the outcomes of attempts with their timeline entries. If another claim has taken over, only a delivery that
   * has arrived is stored.
   * @param entries journal rows, each with its delivery
   * @returns ids of the deliveries that were unsettled until now
   */
  async record(results: DeliveryResult[], entries: Record<string, unknown>[]): Promise<Set<string>> {
    const sorted = [...results].sort((a, b) => (a.id < b.id ? -1 : 1));
    const column = <T>(of: (result: DeliveryResult) => T): T[] => sorted.map(of);
    const recorded = (await this.rows.query(
      `WITH recorded AS (UPDATE gateway.delivery d SET state = t.state, from_part = t.from_part, error = t.error,
         error_detail = t.error_detail, provider_message_id = coalesce(t.message_id, d.provider_message_id), lease_until = t.lease_until,
         attempts = t.attempts, moved_to = coalesce(t.moved_to, d.moved_to), failing_since = t.failing_since,
         settled_at = CASE WHEN t.state IN ('queued', 'sending') THEN NULL ELSE now() END
        FROM unnest($1::text[], $2::text[], $3::integer[], $4::text[], $5::text[], $6::text[], $7::timestamptz[],
               $8::integer[], $9::text[], $11::integer[], $12::timestamptz[])
          AS t(id, state, from_part, error, error_detail, message_id, lease_until, attempts, moved_to, claims, failing_since)
       WHERE d.id = t.id AND d.state IN ('queued', 'sending') AND (d.claims = t.claims OR t.state = 'delivered')
       RETURNING d.id, d.state),
       parts AS (DELETE FROM gateway.delivery_part WHERE delivery_id IN (SELECT id FROM recorded WHERE state = 'delivered')),
       files AS (DELETE FROM gateway.delivery_attachment
        WHERE delivery_id IN (SELECT id FROM recorded WHERE state = 'delivered')),
       ${entryCtes(10, 'SELECT id FROM recorded')}
       SELECT id FROM recorded`,
      [
        column((result) => result.id),
        column((result) => result.state),
        column((result) => result.from_part),
        column((result) => result.error),
        column((result) => result.error_detail),
        column((result) => result.provider_message_id),
        column((result) => result.lease_until),
        column((result) => result.attempts),
        column((result) => result.moved_to),
        storableJson(entries),
        column((result) => result.claims),
        column((result) => result.failing_since),
      ],
    )) as { id: string }[];
    return new Set(recorded.map(({ id }) => id));
  }

  /**
   * Inserts a delivery that a service requested under its own key, with its files, unless the key exists.
   * @returns the delivery of that key
   */
  async commit(
    row: Pick<DeliveryRow, 'id' | 'organization_id' | 'project_id' | 'app_id' | 'receipt_id' | 'content'>,
    key: string,
    attachments: Buffer[],
  ): Promise<DeliveryRow> {
    await this.rows.query(
      `WITH made AS (INSERT INTO gateway.delivery (id, organization_id, project_id, app_id, receipt_id, content, state, attempts,
         from_part, lease_until, created_at, idempotency_key)
       VALUES ($1, $2, $3, $4, $5, $6, 'queued', 0, 0, now(), now(), $7)
       ON CONFLICT (project_id, app_id, idempotency_key) DO NOTHING RETURNING id)
       INSERT INTO gateway.delivery_attachment (delivery_id, seq, content)
       SELECT made.id, file.seq, file.content FROM made, unnest($8::bytea[]) WITH ORDINALITY AS file(content, seq)`,
      [
        row.id,
        row.organization_id,
        row.project_id,
        row.app_id,
        row.receipt_id,
        storableJson(row.content),
        key,
        attachments,
      ],
    );
    return this.rows.findOneByOrFail({ project_id: row.project_id, app_id: row.app_id, idempotency_key: key });
  }

  /** Renews the leases of deliveries whose attempts still run. */
  async renew(ids: string[], owners: string[], leaseMs: number): Promise<void> {
    if (ids.length === 0) return;
    // In id order, and skipping rows that are being recorded.
    await this.rows.query(
      `UPDATE gateway.delivery SET lease_until = now() + make_interval(secs => $2)
        WHERE id IN (SELECT id FROM gateway.delivery WHERE id = ANY($1) AND state = 'sending' AND lease_owner = ANY($3)
                      ORDER BY id FOR UPDATE SKIP LOCKED)`,
      [ids, leaseMs / 1_000, owners],
    );
  }

  /** Voids the leases of dead processes, so far in the past that the next sweep takes the rows whatever its grace. */
  async voidLeasesOfGone(): Promise<void> {
    await this.rows.query(
      `UPDATE gateway.delivery SET lease_until = now() - interval '1 day'
        WHERE id IN (SELECT id FROM gateway.delivery WHERE state = 'sending' AND ${isGone('lease_owner')}
                      ORDER BY id FOR UPDATE SKIP LOCKED)`,
    );
  }

  /** Makes deliveries that wait for one of these reasons due now. @returns the deliveries to enqueue */
  async resume(appIds: string[], codes: string[], limit: number): Promise<DeliveryRow[]> {
    const [rows] = (await this.rows.query(
      `UPDATE gateway.delivery SET lease_until = now() - interval '1 ms'
        WHERE id IN (SELECT id FROM gateway.delivery
                      WHERE state = 'queued' AND error = ANY($2) AND app_id = ANY($1) AND lease_until > now()
                      ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED) RETURNING *`,
      [appIds, codes, limit],
    )) as [DeliveryRow[], number];
    return rows;
  }

  /** The bytes of its files, in order. */
  async contentsOf(id: string): Promise<Buffer[]> {
    const rows = (await this.rows.query(
      'SELECT content FROM gateway.delivery_attachment WHERE delivery_id = $1 ORDER BY seq',
      [id],
    )) as { content: Buffer }[];
    return rows.map(({ content }) => content);
  }

  byId(id: string): Promise<DeliveryRow | null> {
    return this.rows.findOneBy({ id });
  }

  /** A delivery with the number of its last claim. */
  async lastClaim(id: string): Promise<ClaimedDelivery | null> {
    const rows = (await this.rows.query('SELECT * FROM gateway.delivery WHERE id = $1', [id])) as ClaimedDelivery[];
    return rows[0] ?? null;
  }

  /** Unfinished deliveries whose lease ran out more than `graceMs` ago. */
  overdue(graceMs: number, limit: number): Promise<DeliveryRow[]> {
    return this.rows
      .createQueryBuilder('delivery')
      .where(`delivery.state IN ('queued', 'sending') AND delivery.lease_until < :before`, {
        before: new Date(Date.now() - graceMs),
      })
      .orderBy('delivery.lease_until')
      .limit(limit)
      .getMany();
  }

  find(organizationId: string, projectId: string, id: string): Promise<DeliveryRow | null> {
    return this.rows.findOneBy({ id, organization_id: organizationId, project_id: projectId });
  }

  list(
    organizationId: string,
    projectId: string,
    filter: {
      state: string | null;
      receiptId: string | null;
      appId: string | null;
      cursor: string | null;
      order: Order;
      limit: number;
    },
  ): Promise<DeliveryRow[]> {
    const query = this.rows
      .createQueryBuilder('delivery')
      .where('delivery.organization_id = :organizationId AND delivery.project_id = :projectId', {
        organizationId,
        projectId,
      })
      .andWhere(keyset('delivery.id', ':cursor', filter.order).after, { cursor: filter.cursor })
      .orderBy('delivery.id', filter.order === 'asc' ? 'ASC' : 'DESC')
      .limit(filter.limit);
    if (filter.state) query.andWhere('delivery.state = :state', { state: filter.state });
    if (filter.receiptId) query.andWhere('delivery.receipt_id = :receiptId', { receiptId: filter.receiptId });
    if (filter.appId) query.andWhere('delivery.app_id = :appId', { appId: filter.appId });
    return query.getMany();
  }

  /**
   * Opens a settled delivery again, or makes one due now that waits; false when it is in flight or delivered.
   * @param keepsDoubt whether its adapter can still look up a message whose answer was lost; otherwise the person who
   *   redrives it has decided that it is to be sent
   */
  async reopen(tx: Transaction, id: string, keepsDoubt: boolean): Promise<boolean> {
    const rows: unknown = await tx.query(
      `UPDATE gateway.delivery SET state = 'queued', attempts = 0, lease_until = now() - interval '1 s', settled_at = NULL,
         open_since = now(), failing_since = NULL,
         error = CASE WHEN state = 'queued' THEN error WHEN $2 AND state = 'unknown' THEN $3 END
        WHERE id = $1 AND state IN ('queued', 'dead', 'unknown', 'expired') RETURNING id`,
      [id, keepsDoubt, answerLostCode],
    );
    return (rows as [unknown[], number])[1] > 0;
  }

  /**
   * Marks the part in doubt as arrived, on a person's word. Parts after it are still to be sent.
   * @returns the new state; null when it is not `unknown`
   */
  async markDelivered(id: string): Promise<'delivered' | 'queued' | null> {
    const rows = (await this.rows.query(
      `WITH marked AS (
         UPDATE gateway.delivery d SET state = CASE WHEN m.more THEN 'queued' ELSE 'delivered' END, error = NULL, error_detail = NULL,
                from_part = CASE WHEN parts IS NULL THEN from_part ELSE from_part + 1 END,
                attempts = CASE WHEN m.more THEN 0 ELSE attempts END,
                lease_until = CASE WHEN m.more THEN now() - interval '1 s' ELSE lease_until END,
                open_since = CASE WHEN m.more THEN now() ELSE open_since END, failing_since = NULL,
                settled_at = CASE WHEN m.more THEN NULL ELSE now() END
           FROM (SELECT id, coalesce(from_part + 1 < parts, false) AS more FROM gateway.delivery WHERE id = $1) m
          WHERE d.id = m.id AND d.state = 'unknown' RETURNING d.id, d.state),
       files AS (DELETE FROM gateway.delivery_attachment WHERE delivery_id IN (SELECT id FROM marked WHERE state = 'delivered')),
       parts AS (DELETE FROM gateway.delivery_part WHERE delivery_id IN (SELECT id FROM marked WHERE state = 'delivered'))
       SELECT state FROM marked`,
      [id],
    )) as { state: 'delivered' | 'queued' }[];
    return rows[0]?.state ?? null;
  }
}
