import type { Feature, MessageFormat } from '#libs/adapter-sdk';
import type { DeliverySendPayload, Order } from '#libs/contracts';
import { keyset, Liveness, storableJson, type Transaction } from '#libs/database';
import { entryCtes, type JournalEntry } from '#libs/journal';
import { Work } from '#libs/work';
import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, Repository } from 'typeorm';
import { DeliveryRow, type ProviderStatus, providerStatuses } from '../entities/delivery.entity.js';
import type { GatewaySettings } from '../env.js';
import { SETTINGS } from '../tokens.js';
import type { DeliveryOutcome } from './delivery.verdict.js';
import { answerLostCode } from './lost-answers.js';

/** A message, or a part of one, as `/format` made it. */
export interface FormattedText {
  text: string;
  format: MessageFormat;
}

/** The parts of messages that the gateway splits, and how many of them are sent. */
@Injectable()
export class DeliveryPartRepository {
  constructor(private readonly db: DataSource) {}

  /** In order. */
  async of(deliveryId: string): Promise<FormattedText[]> {
    return (await this.db.query('SELECT text, format FROM gateway.delivery_part WHERE delivery_id = $1 ORDER BY seq', [
      deliveryId,
    ])) as FormattedText[];
  }

  /** Stores the parts of a message, and how many characters were cut. @param parts empty when the adapter splits it */
  async keep(deliveryId: string, parts: FormattedText[], cutChars: number): Promise<void> {
    await this.db.query(
      `WITH kept AS (
         INSERT INTO gateway.delivery_part (delivery_id, seq, text, format)
         SELECT $1, part.seq, part.value ->> 'text', part.value ->> 'format'
           FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS part(value, seq)
         ON CONFLICT (delivery_id, seq) DO NOTHING)
       UPDATE gateway.delivery SET parts = nullif(jsonb_array_length($2::jsonb), 0), cut_chars = $3 WHERE id = $1`,
      [deliveryId, storableJson(parts), cutChars],
    );
  }

  /** Records that the provider has the parts before `fromPart`. It clears the error of an earlier attempt. */
  async advance(deliveryId: string, fromPart: number, firstMessageId: string): Promise<void> {
    await this.db.query(
      `UPDATE gateway.delivery SET from_part = $2, provider_message_id = $3, reason = NULL, error_detail = NULL,
              blocked_since = NULL
        WHERE id = $1 AND state = 'sending'`,
      [deliveryId, fromPart, firstMessageId],
    );
  }
}

/** What a statement stores of an attempt, and its entry for the timeline. */
export type DeliveryResult = DeliveryOutcome & { entry: JournalEntry | null };

/** A row as the claim returns it, whether its job is surplus, and what its adapter could not show in this attempt. */
export type ClaimedDelivery = DeliveryRow & { surplus?: true; left_out?: Feature[] };

/** What a provider says of one message. */
export interface ProviderReport {
  /** Null: the delivery is known by the message's id only. */
  delivery: string | null;
  message_id: string | null;
  status: ProviderStatus;
  detail: string | null;
  /** RFC 3339. */
  at: string;
}

/** The columns of an outcome beside those of work. */
const own = { from_part: 'integer', error_detail: 'text', moved_to: 'text', provider_message_id: 'text' };
const keeps = ['moved_to', 'provider_message_id'];

/** The job of a committed delivery: its content is in the row. */
export function jobOf({ id, organization_id, project_id, receipt_id, turn_id }: DeliveryRow): DeliverySendPayload {
  return { delivery_id: id, organization_id, project_id, receipt_id, turn_id };
}

@Injectable()
export class DeliveryRepository {
  readonly work: Work<DeliveryRow>;

  constructor(
    @InjectRepository(DeliveryRow) private readonly rows: Repository<DeliveryRow>,
    liveness: Liveness,
    @Inject(SETTINGS) { DELIVERY_LEASE_MS: leaseMs }: GatewaySettings,
  ) {
    const table = { table: 'gateway.delivery', running: 'sending' };
    this.work = new Work(rows, { ...table, leaseMs, owner: () => liveness.owner, owners: () => liveness.owners });
  }

  /**
   * Inserts new deliveries, and claims those that are due.
   * @returns the claimed rows, without those that are leased, wait or have ended
   */
  async claim(jobs: DeliverySendPayload[]): Promise<ClaimedDelivery[]> {
    // In id order: batches of two processes that share ids would otherwise deadlock.
    const sorted = [...new Map(jobs.map((job) => [job.delivery_id, job])).values()].sort((a, b) =>
      a.delivery_id < b.delivery_id ? -1 : 1,
    );
    const column = <T>(of: (job: DeliverySendPayload) => T): T[] => sorted.map(of);
    const claimed = this.work.storeSql('d', "'sending'", '$8', '$9::float8');
    return (await this.rows.query(
      `INSERT INTO gateway.delivery AS d (id, organization_id, project_id, app_id, receipt_id, turn_id, content, from_part,
         created_at, ${claimed.columns})
       SELECT id, org, prj, app, receipt, turn, content, 0, now(), ${claimed.values}
         FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::jsonb[])
           AS t(id, org, prj, app, receipt, turn, content)
       ON CONFLICT (id) DO UPDATE SET ${claimed.set} WHERE ${this.work.isDueSql('d')}
       RETURNING *`,
      [
        column((job) => job.delivery_id),
        column((job) => job.organization_id),
        column((job) => job.project_id),
        column((job) => job.content?.target.app_id ?? ''),
        column((job) => job.receipt_id),
        column((job) => job.turn_id),
        column((job) => storableJson(job.content ?? {})),
        ...this.work.lease,
      ],
    )) as ClaimedDelivery[];
  }

  /**
   * Notes, before a call whose repetition may send twice, that its answer is lost. Recording the attempt's outcome takes
   * that back, so it stands only if the process dies meanwhile.
   * @returns false when another claim has taken over
   */
  async markSending({ id, claim }: ClaimedDelivery): Promise<boolean> {
    const result: unknown = await this.rows.query(
      `UPDATE gateway.delivery SET reason = $3 WHERE id = $1 AND claim = $2 AND state = 'sending'`,
      [id, claim, answerLostCode],
    );
    return (result as [unknown[], number])[1] > 0;
  }

  /** Its channel has another address now. */
  async readdress(id: string, address: string): Promise<void> {
    await this.rows.query(
      `UPDATE gateway.delivery SET moved_to = NULL,
              content = jsonb_set(content, '{target,channel_address}', to_jsonb($2::text))
        WHERE id = $1`,
      [id, address],
    );
  }

  /**
   * Stores the outcomes of attempts with their timeline entries. If another claim has taken over, only a delivery that
   * has arrived is stored.
   * @param entries journal rows, each with its delivery
   * @returns ids of the deliveries that were unsettled until now
   */
  async record(results: DeliveryOutcome[], entries: Record<string, unknown>[]): Promise<Set<string>> {
    const recorded = (await this.rows.query(
      `WITH recorded AS (${this.work.settleSql('$1', own, keeps, "s.state = 'delivered'")}),
       parts AS (DELETE FROM gateway.delivery_part WHERE delivery_id IN (SELECT id FROM recorded WHERE state = 'delivered')),
       files AS (DELETE FROM gateway.delivery_attachment
        WHERE delivery_id IN (SELECT id FROM recorded WHERE state = 'delivered')),
       ${entryCtes(2, 'SELECT id FROM recorded')}
       SELECT id FROM recorded`,
      [this.work.settled(results), storableJson(entries)],
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
      `WITH made AS (INSERT INTO gateway.delivery (id, organization_id, project_id, app_id, receipt_id, content,
         from_part, created_at, idempotency_key)
       VALUES ($1, $2, $3, $4, $5, $6, 0, now(), $7)
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

  /** Makes deliveries that wait for one of these reasons due now. @returns the deliveries to enqueue */
  resume(appIds: string[], codes: string[], limit: number): Promise<DeliveryRow[]> {
    return this.work.expedite('app_id = ANY($1) AND reason = ANY($2)', [appIds, codes], '*', limit);
  }

  /**
   * Notes what a provider says of messages. A status replaces only one that comes before it.
   * @param reports by the delivery's id where the provider hands it back, else by the id of the message
   */
  async report(appId: string, reports: readonly ProviderReport[]): Promise<void> {
    await this.rows.query(
      `UPDATE gateway.delivery d SET provider_status = r.status, provider_status_detail = r.detail, provider_status_at = r.at
         FROM (SELECT DISTINCT ON (coalesce(delivery, message_id)) * FROM jsonb_to_recordset($2::jsonb)
                 AS t(delivery text, message_id text, status text, detail text, at timestamptz)
                ORDER BY coalesce(delivery, message_id), array_position($3::text[], status) DESC) r
        WHERE d.app_id = $1 AND (d.id = r.delivery OR (r.delivery IS NULL AND d.provider_message_id = r.message_id))
          AND coalesce(array_position($3::text[], d.provider_status), 0) < array_position($3::text[], r.status)`,
      [appId, JSON.stringify(reports), [...providerStatuses]],
    );
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
      `UPDATE gateway.delivery SET ${this.work.reopenSql()}, open_since = now(),
         reason = CASE WHEN state = 'queued' THEN reason WHEN $2 AND state = 'unknown' THEN $3 END
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
         UPDATE gateway.delivery d SET state = CASE WHEN m.more THEN 'queued' ELSE 'delivered' END, reason = NULL, error_detail = NULL,
                from_part = CASE WHEN parts IS NULL THEN from_part ELSE from_part + 1 END,
                tries = CASE WHEN m.more THEN 0 ELSE tries END, due_at = now(), blocked_since = NULL,
                open_since = CASE WHEN m.more THEN now() ELSE open_since END,
                ended_at = CASE WHEN m.more THEN NULL ELSE now() END
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
