import type { InboundParsePayload, NormalizedMessage } from '#libs/contracts';
import { Liveness } from '#libs/database';
import { type Settlement, Work } from '#libs/work';
import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, LessThan, Repository } from 'typeorm';
import type { AdapterLoad } from '../adapters/adapter-client.js';
import { type GatewaySettings, SETTINGS } from '../../env.js';
import { InboundWaitRow, ParsedMessages } from './inbound.entity.js';

/** A receipt to retry. Its first attempt had no row: that is claim 0. */
export interface Rescheduled {
  job: InboundParsePayload;
  adapterId: string;
  settlement: Settlement;
}

@Injectable()
export class InboundWaitRepository {
  readonly work: Work<InboundWaitRow>;

  constructor(
    @InjectRepository(InboundWaitRow) private readonly rows: Repository<InboundWaitRow>,
    liveness: Liveness,
    @Inject(SETTINGS) { PARSE_LEASE_MS: leaseMs }: GatewaySettings,
  ) {
    const project = (t: string): string => `${t}.job ->> 'project_id'`;
    const table = { table: 'gateway.inbound_wait', key: 'receipt_id', project };
    this.work = new Work(rows, { ...table, leaseMs, owner: () => liveness.owner, owners: () => liveness.owners });
  }

  /**
   * @param list has no receipt twice. One that was enqueued again while it waits is rescheduled, unless it is claimed.
   * @returns why each waited before, in the order of the list; null: it did not, or its claim knows
   */
  async put(list: Rescheduled[]): Promise<(string | null)[]> {
    const settled = list.map(({ job: { request: _request, ...job }, adapterId, settlement }) => ({
      ...settlement,
      adapter_id: adapterId,
      job,
    }));
    const [first, claimed] = [settled.filter(({ claim }) => claim === 0), settled.filter(({ claim }) => claim > 0)];
    const before = first.length > 0 ? await this.insert(first) : [];
    if (claimed.length > 0) {
      await this.rows.query(this.work.settleSql('$1', { adapter_id: 'text' }), [this.work.settled(claimed)]);
    }
    const reasons = new Map(before.map((row) => [row.receipt_id, row.reason]));
    return settled.map(({ key }) => reasons.get(key) ?? null);
  }

  /**
   * Claims receipts that were enqueued again. The process that had them may have died of one: from now on a death tells.
   * @returns a row for each of the list, in its order; null: it was there already, and is attempted from there
   */
  async keep(list: { job: InboundParsePayload; adapterId: string }[]): Promise<(InboundWaitRow | null)[]> {
    const rows = list.map(({ job: { request: _request, ...job }, adapterId }) => ({
      key: job.receipt_id,
      adapter_id: adapterId,
      job,
    }));
    const { columns, values } = this.work.storeSql('w', "'running'", '$2', '$3::float8');
    const kept = (await this.rows.query(
      `INSERT INTO gateway.inbound_wait AS w (receipt_id, adapter_id, job, ${columns})
       SELECT key, adapter_id, job, ${values}
         FROM jsonb_to_recordset($1::jsonb) AS s(key text, adapter_id text, job jsonb)
       ON CONFLICT (receipt_id) DO NOTHING RETURNING *`,
      [this.work.settled(rows), ...this.work.lease],
    )) as InboundWaitRow[];
    const byId = new Map(kept.map((row) => [row.receipt_id, row]));
    return rows.map(({ key }) => {
      const row = byId.get(key) ?? null;
      // The same receipt twice in one batch: the first gets it.
      byId.delete(key);
      return row;
    });
  }

  /** @returns the rows that were there before */
  private async insert(settled: Settlement[]): Promise<Pick<InboundWaitRow, 'receipt_id' | 'reason'>[]> {
    return (await this.rows.query(
      `WITH kept AS (
         INSERT INTO gateway.inbound_wait AS w (receipt_id, adapter_id, job, tries, due_at, blocked_since, reason)
         SELECT key, adapter_id, job, tries, now() + due_in_ms * interval '1 millisecond', blocked_since, reason
           FROM jsonb_to_recordset($1::jsonb) AS s(key text, adapter_id text, job jsonb, tries integer, due_in_ms float8,
             blocked_since timestamptz, reason text)
         ON CONFLICT (receipt_id) DO UPDATE SET adapter_id = excluded.adapter_id, tries = w.tries + excluded.tries,
           due_at = excluded.due_at, reason = excluded.reason, state = 'queued', ended_at = NULL
          WHERE w.state IN ('queued', 'dead'))
       SELECT receipt_id, reason FROM gateway.inbound_wait WHERE receipt_id = ANY($2)`,
      [this.work.settled(settled), settled.map(({ key }) => key)],
    )) as InboundWaitRow[];
  }

  /**
   * Takes due receipts whose adapter can take them. Receipts of an adapter that is not ready or is busy are not even
   * read, however many there are. For an adapter whose circuit is half open, one receipt is taken.
   */
  async take(load: AdapterLoad, perAdapter: number, limit: number): Promise<InboundWaitRow[]> {
    return (await this.rows.query(
      `WITH claimed AS (UPDATE gateway.inbound_wait w SET ${this.work.claimSql('w', '$1', '$2::float8')}
        WHERE receipt_id IN (
          SELECT due.receipt_id FROM gateway.adapter a CROSS JOIN LATERAL (
            SELECT w.receipt_id FROM gateway.inbound_wait w WHERE w.adapter_id = a.id AND ${this.work.isDueSql('w')}
             ORDER BY w.due_at LIMIT CASE WHEN a.base_url = ANY($4) THEN 1 ELSE $5 END FOR UPDATE SKIP LOCKED) due
           WHERE a.state = 'ready' AND NOT a.disabled AND a.base_url <> ALL($3) LIMIT $6)
        RETURNING w.*)
       SELECT * FROM claimed`,
      [...this.work.lease, load.closedTo, load.onTrial, perAdapter, limit],
    )) as InboundWaitRow[];
  }

  /** Removes receipts that wait for an unregistered adapter: nothing else takes them. */
  async removeOrphaned(limit: number): Promise<InboundParsePayload[]> {
    const [rows] = (await this.rows.query(
      `DELETE FROM gateway.inbound_wait WHERE receipt_id IN (
         SELECT receipt_id FROM gateway.inbound_wait w
          WHERE ${this.work.isOpenSql('w')} AND NOT EXISTS (SELECT FROM gateway.adapter WHERE adapter.id = w.adapter_id) LIMIT $1)
       RETURNING job`,
      [limit],
    )) as [{ job: InboundParsePayload }[], number];
    return rows.map(({ job }) => job);
  }

  /** Makes what waits for the adapters at an address due now, except what the adapters rescheduled themselves. */
  async expedite(baseUrl: string, exceptCode: string): Promise<void> {
    await this.work.expedite(
      'adapter_id IN (SELECT id FROM gateway.adapter WHERE base_url = $1) AND reason <> $2',
      [baseUrl, exceptCode],
      'receipt_id',
    );
  }

  /** Makes receipts of these Apps that wait for one of these reasons due now. */
  async release(appIds: string[], codes: string[]): Promise<void> {
    await this.work.expedite(
      `adapter_id IN (SELECT adapter_id FROM gateway.app WHERE id = ANY($1)) AND job ->> 'app_id' = ANY($1) AND reason = ANY($2)`,
      [appIds, codes],
      'receipt_id',
    );
  }

  /** Forgets receipts that killed their process long ago: no job of theirs is left. */
  async forgetDead(ageMs: number): Promise<void> {
    await this.rows.delete({ state: 'dead', ended_at: LessThan(new Date(Date.now() - ageMs)) });
  }

  async forget(receiptIds: string[]): Promise<void> {
    await this.rows.delete({ receipt_id: In(receiptIds) });
  }
}

@Injectable()
export class ParsedMessagesRepository {
  constructor(@InjectRepository(ParsedMessages) private readonly rows: Repository<ParsedMessages>) {}

  async keep(receiptId: string, organizationId: string, messages: NormalizedMessage[]): Promise<void> {
    const row = { receipt_id: receiptId, organization_id: organizationId, created_at: new Date() };
    await this.rows.upsert({ ...row, messages: JSON.stringify(messages) }, ['receipt_id']);
  }

  async read(receiptId: string, organizationId: string): Promise<NormalizedMessage[] | null> {
    const row = await this.rows.findOneBy({ receipt_id: receiptId, organization_id: organizationId });
    return row ? (JSON.parse(row.messages) as NormalizedMessage[]) : null;
  }

  /** The router reads them within seconds; parsing a receipt again stores them again. */
  async forgetOlderThan(ageMs: number): Promise<void> {
    await this.rows.delete({ created_at: LessThan(new Date(Date.now() - ageMs)) });
  }
}
