import type { Order, ProjectScope } from '#libs/contracts';
import { keyset, storableJson, type Transaction } from '#libs/database';
import { type ListRead, ListReads } from '#libs/list-reads';
import type { Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { DeliveryRow, wholeDelivery } from '../../entities/delivery.entity.js';
import { DeliveryRepository } from '../../path/deliveries/delivery.repository.js';
import { answerLostCode } from '../../path/deliveries/delivery.verdict.js';

interface DeliveryFilter {
  state: string | null;
  receiptId: string | null;
  appId: string | null;
  cursor: string | null;
  order: Order;
  limit: number;
}

/** What people and services ask of deliveries. */
@Injectable()
export class ManagedDeliveryRepository {
  constructor(
    @InjectRepository(DeliveryRow) private readonly rows: Repository<DeliveryRow>,
    private readonly deliveries: DeliveryRepository,
    private readonly reads: ListReads,
  ) {}

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
    const { project_id, app_id } = row;
    return wholeDelivery(await this.rows.findOneByOrFail({ project_id, app_id, idempotency_key: key }));
  }

  /** Makes deliveries that wait for one of these reasons due now. @returns the deliveries to enqueue */
  resume(appIds: string[], codes: string[], limit: number): Promise<DeliveryRow[]> {
    return this.deliveries.work.expedite('app_id = ANY($1) AND reason = ANY($2)', [appIds, codes], '*', limit);
  }

  async find(organizationId: string, projectId: string, id: string): Promise<DeliveryRow | null> {
    const row = await this.rows.findOneBy({ id, organization_id: organizationId, project_id: projectId });
    return row && wholeDelivery(row);
  }

  /** May lag. */
  list(caller: Principal, filter: DeliveryFilter): Promise<ListRead<DeliveryRow[]>> {
    return this.reads.read('deliveries', caller, (db) => listed(db, caller, filter));
  }

  /**
   * Opens a settled delivery again, or makes one due now that waits; false when it is in flight or delivered.
   * @param keepsDoubt whether its adapter can still look up a message whose answer was lost; otherwise the person who
   *   redrives it has decided that it is to be sent
   */
  async reopen(tx: Transaction, id: string, keepsDoubt: boolean): Promise<boolean> {
    const rows: unknown = await tx.query(
      `UPDATE gateway.delivery SET ${this.deliveries.work.reopenSql()}, open_since = now(),
         reason = CASE WHEN state = 'queued' THEN reason WHEN $2 AND state = 'unknown' THEN $3 END
        WHERE id = $1 AND state IN ('queued', 'dead', 'unknown', 'expired') AND content -> 'erased' IS NULL RETURNING id`,
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

async function listed(
  db: Transaction,
  { organizationId, projectId }: ProjectScope,
  filter: DeliveryFilter,
): Promise<DeliveryRow[]> {
  const query = db
    .createQueryBuilder(DeliveryRow, 'delivery')
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
  return (await query.getMany()).map(wholeDelivery);
}
