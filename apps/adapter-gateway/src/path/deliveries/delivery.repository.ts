import type { MessageAttachment, MessageFormat } from '#libs/adapter-sdk';
import type { DeliverySendPayload, OutboundContent } from '#libs/contracts';
import { Liveness, storableJson } from '#libs/database';
import { entryCtes, type EntryInRow, type JournalEntry } from '#libs/journal';
import { PermanentFailure } from '#libs/queue';
import { endSql, Work } from '#libs/work';
import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, Repository } from 'typeorm';
import { DeliveryRow, providerIdSql, storedContent, wholeDelivery } from '../../entities/delivery.entity.js';
import { type GatewaySettings, SETTINGS } from '../../env.js';
import { answerLostCode, type AttemptedDelivery, type DeliveryOutcome } from './delivery.verdict.js';

/** The columns of an outcome beside those of work. */
const own = {
  from_part: 'integer',
  error_detail: 'text',
  moved_to: 'text',
  provider_message_id: 'text',
  entry: 'json',
};
const keeps = ['moved_to', 'provider_message_id', 'entry'];

/** A row as the claim returns it, and whether its job is surplus. */
export type ClaimedDelivery = AttemptedDelivery & { surplus?: true };

/** A job that has its reply, as the engine offers it. */
export type FirstJob = DeliverySendPayload & { content: OutboundContent };

/** What an attempt led to, and its entry for the timeline. `arrived`: a delivery that may have no row yet. */
export type DeliveryResult = DeliveryOutcome & { entry: JournalEntry | null; arrived?: DeliveryRow };

/** As a statement stores it. `entry`: in the delivery's own row. */
type StoredResult = DeliveryOutcome & { entry?: EntryInRow | null; arrived?: DeliveryRow };

export type ReplacedDelivery = Pick<DeliveryRow, 'id' | 'state' | 'provider_message_id'> & {
  channel_address: string | null;
};

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
    const rows = (await this.rows.query(
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
        column(({ content }) => storableJson(content ? storedContent(content) : {})),
        ...this.work.lease,
      ],
    )) as ClaimedDelivery[];
    return rows.map(wholeDelivery);
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

  /**
   * From here on nothing is sent of other deliveries of the same App that is not sent yet: this one takes their place.
   * @param keys which the others were requested under
   * @returns those that there are, in the order of their keys
   */
  async replace({ project_id, app_id }: DeliveryRow, keys: string[]): Promise<ReplacedDelivery[]> {
    const [rows] = (await this.rows.query(
      `UPDATE gateway.delivery d SET content = content || '{"replaced": true}'
        WHERE project_id = $1 AND app_id = $2 AND idempotency_key = ANY($3)
       RETURNING id, state, ${providerIdSql('d')} AS provider_message_id, idempotency_key, content #>> '{target,channel_address}' AS channel_address`,
      [project_id, app_id, keys],
    )) as [(ReplacedDelivery & { idempotency_key: string })[], number];
    return rows.toSorted((a, b) => keys.indexOf(a.idempotency_key) - keys.indexOf(b.idempotency_key));
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
   * @param results `arrived`: deliveries whose first attempt began without a row
   * @param entries journal rows, each with its delivery: those that lie in no row of a delivery
   * @returns ids of the deliveries that were unsettled until now
   */
  async record(results: StoredResult[], entries: Record<string, unknown>[]): Promise<Set<string>> {
    const named = results.map((result) =>
      result.provider_message_id === result.key ? { ...result, provider_message_id: null } : result,
    );
    const arrived = named.flatMap(({ arrived: row, provider_message_id, entry }) =>
      row ? [{ ...row, content: storedContent(row.content), provider_message_id, entry }] : [],
    );
    const recorded = (await this.rows.query(
      `WITH settled AS (${this.work.settleSql('$1', own, keeps, "s.state = 'delivered'")}),
       stored AS (INSERT INTO gateway.delivery AS d (id, organization_id, project_id, app_id, receipt_id, turn_id, content,
           from_part, provider_message_id, created_at, entry, state, claim, tries, ended_at)
         SELECT id, organization_id, project_id, app_id, receipt_id, turn_id, content, 0, provider_message_id, created_at, entry,
                'delivered', 1, 1, now()
           FROM jsonb_to_recordset($3::jsonb) AS a(id text, organization_id text, project_id text, app_id text,
             receipt_id text, turn_id text, content jsonb, provider_message_id text, created_at timestamptz, entry json)
         ON CONFLICT (id) DO UPDATE SET ${endSql('delivered')}, reason = NULL, error_detail = NULL, blocked_since = NULL,
             provider_message_id = excluded.provider_message_id, entry = excluded.entry
          WHERE ${this.work.isOpenSql('d')} RETURNING d.*),
       recorded AS (SELECT id, state FROM settled UNION ALL SELECT id, state FROM stored),
       parts AS (DELETE FROM gateway.delivery_part WHERE delivery_id IN (SELECT id FROM recorded WHERE state = 'delivered')),
       files AS (DELETE FROM gateway.delivery_attachment
        WHERE delivery_id IN (SELECT id FROM recorded WHERE state = 'delivered')),
       ${entryCtes(2, 'SELECT id FROM recorded')}
       SELECT id FROM recorded`,
      [
        this.work.settled(named.filter(({ arrived: row }) => !row)),
        storableJson(entries),
        storableJson(arrived.sort((a, b) => (a.id < b.id ? -1 : 1))),
      ],
    )) as { id: string }[];
    return new Set(recorded.map(({ id }) => id));
  }

  /**
   * Its files with their bytes, in order.
   * @throws PermanentFailure `files_gone`: none is sent empty
   */
  async attachmentsOf({ id, content }: DeliveryRow): Promise<MessageAttachment[]> {
    const heads = content.attachments ?? [];
    if (heads.length === 0) return [];
    const contents = (await this.rows.query(
      'SELECT content FROM gateway.delivery_attachment WHERE delivery_id = $1 ORDER BY seq',
      [id],
    )) as { content: Buffer }[];
    return heads.map(({ name, content_type, size }, index) => {
      const file = contents[index];
      if (!file) {
        const gone = `${heads.length - contents.length} of the ${heads.length} files of this message are no longer kept`;
        throw new PermanentFailure('files_gone', `${gone}, so it cannot be sent: write a new one.`);
      }
      return { id: String(index + 1), name, content_type, size, content_base64: file.content.toString('base64') };
    });
  }

  async hasFiles(id: string): Promise<boolean> {
    const sql = 'SELECT FROM gateway.delivery_attachment WHERE delivery_id = $1 LIMIT 1';
    return ((await this.rows.query(sql, [id])) as unknown[]).length > 0;
  }

  /** Keeps the files of a delivery until it has arrived. Those that it has stay. */
  async keepFiles(id: string, contents: Buffer[]): Promise<void> {
    await this.rows.query(
      `INSERT INTO gateway.delivery_attachment (delivery_id, seq, content)
       SELECT $1, file.seq, file.content FROM unnest($2::bytea[]) WITH ORDINALITY AS file(content, seq)
       ON CONFLICT (delivery_id, seq) DO NOTHING`,
      [id, contents],
    );
  }

  async byId(id: string): Promise<DeliveryRow | null> {
    const row = await this.rows.findOneBy({ id });
    return row && wholeDelivery(row);
  }
}

/** The row that a first job will get, as its first claim would return it. @param at when its attempt began */
export function firstClaimOf({ custody, ...job }: FirstJob, at = new Date()): ClaimedDelivery {
  const { delivery_id: id, ...owner } = job;
  const none = {
    entry: null,
    moved_to: null,
    error_detail: null,
    provider_message_id: null,
    idempotency_key: null,
    parts: null,
  };
  const noStatus = { provider_status: null, provider_status_detail: null, provider_status_at: null };
  const work = {
    claim: 1,
    tries: 1,
    owner: null,
    lease_until: null,
    blocked_since: null,
    reason: null,
    ended_at: null,
  };
  return {
    ...owner,
    ...none,
    ...noStatus,
    ...work,
    id,
    app_id: job.content.target.app_id,
    from_part: 0,
    cut_chars: 0,
    state: 'sending',
    deaths: 0,
    on_trial: false,
    due_at: at,
    created_at: at,
    open_since: at,
    ...(custody?.surplus ? { surplus: true } : {}),
  };
}

/** The job of a committed delivery: its content is in the row. */
export function jobOf({ id, organization_id, project_id, receipt_id, turn_id }: DeliveryRow): DeliverySendPayload {
  return { delivery_id: id, organization_id, project_id, receipt_id, turn_id };
}

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
