import { newId } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { hash } from 'node:crypto';
import { Repository } from 'typeorm';
import { Outage, Refusal } from '../../entities/ingress.entity.js';
import { unpackedRequest } from '../receipts/receipt.repository.js';

/** Who names no delivery is recognised by the body; two requests may have the same one, so not for long. */
const sameBodyHours = 24;
/** Packed receipts that are unpacked at a time, and in one look at most: the path goes on in this process. */
const unpackedAtOnce = 50;
const unpackedAtMost = 5_000;

/** A packed receipt whose body is as long as one that was refused. */
interface PackedReceipt {
  id: string;
  app_id: string;
  received_at: Date;
  body: Buffer;
}

@Injectable()
export class RefusalRepository {
  constructor(@InjectRepository(Refusal) private readonly rows: Repository<Refusal>) {}

  create(refusal: Refusal): Refusal {
    return this.rows.create(refusal);
  }

  /** One that is there already stays: it was read back from the disk, where it stands until it is stored. */
  async insert(refusals: Refusal[]): Promise<void> {
    await this.rows.manager.transaction(async (tx) => {
      await tx.createQueryBuilder().insert().into(Refusal).values(refusals).orIgnore().execute();
      const outages = outagesOf(refusals);
      if (outages.length > 0) await tx.insert(Outage, outages);
    });
  }

  /**
   * Notes which refused deliveries have been stored since: by the sender's id of them, else by App and body.
   * @param since receipts before this time were looked at
   * @param days of refusals
   */
  async noteReturned(since: Date, days: number): Promise<void> {
    await this.note(
      `SELECT r.id, k.receipt_id AS event_id FROM ingress.refusal r
         JOIN ingress.delivery_key k ON k.app_id = r.app_id AND k.key_hash = r.key_hash
        WHERE r.event_id IS NULL AND r.at > now() - make_interval(days => $2) AND k.received_at >= $1`,
      [since, days],
    );
    await this.note(
      `SELECT r.id, c.id AS event_id FROM ingress.refusal r
         JOIN ingress.receipt c ON c.app_id = r.app_id AND c.received_at >= r.at AND octet_length(c.body) = r.body_bytes
              AND c.packed_bytes IS NULL
        WHERE ${unnamed('$2')} AND c.received_at >= $1
          AND encode(sha256(c.body), 'hex') = r.body_sha256`,
      [since, sameBodyHours],
    );
    await this.notePacked(since);
  }

  /** The same by the body of receipts that are packed, the oldest first: what comes again mostly comes soon. */
  private async notePacked(since: Date): Promise<void> {
    let after: [Date, string] = [since, ''];
    for (let passed = 0; passed < unpackedAtMost; passed += unpackedAtOnce) {
      const rows: PackedReceipt[] = await this.rows.query(
        `SELECT c.id, c.app_id, c.received_at, c.body FROM ingress.receipt c
          WHERE c.received_at >= $1 AND (c.received_at, c.id) > ($1, $2) AND c.packed_bytes > 0 AND c.body <> ''
            AND EXISTS (SELECT FROM ingress.refusal r WHERE r.app_id = c.app_id AND r.at <= c.received_at
              AND r.body_bytes = c.packed_bytes AND ${unnamed('$3')})
          ORDER BY c.received_at, c.id LIMIT ${unpackedAtOnce}`,
        [...after, sameBodyHours],
      );
      const last = rows.at(-1);
      if (!last) return;
      await this.note(
        `SELECT r.id, c.id AS event_id
           FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[]) AS c(id, app_id, received_at, sha256)
           JOIN ingress.refusal r ON r.app_id = c.app_id AND r.at <= c.received_at AND r.body_sha256 = c.sha256
          WHERE ${unnamed('$5')}`,
        [
          rows.map(({ id }) => id),
          rows.map(({ app_id: app }) => app),
          rows.map(({ received_at: at }) => at),
          rows.map(({ body }) => hash('sha256', unpackedRequest(body).body)),
          sameBodyHours,
        ],
      );
      if (rows.length < unpackedAtOnce) return;
      after = [last.received_at, last.id];
    }
  }

  /** Replicas do this at the same time: each takes what no other has. */
  private async note(found: string, parameters: unknown[]): Promise<void> {
    await this.rows.query(
      `WITH found AS (SELECT id, min(event_id) AS event_id FROM (${found}) AS every GROUP BY id),
       free AS (SELECT id FROM ingress.refusal WHERE id IN (SELECT id FROM found) ORDER BY id FOR UPDATE SKIP LOCKED)
       UPDATE ingress.refusal r SET event_id = found.event_id
         FROM found JOIN free USING (id) WHERE r.id = found.id AND r.event_id IS NULL`,
      parameters,
    );
  }
}

/** Refusals `r` that are recognised by their body. @param hours the parameter that says for how long */
const unnamed = (hours: string): string =>
  `r.event_id IS NULL AND r.key_hash IS NULL AND r.times = 1 AND r.body_bytes > 0
   AND r.at > now() - make_interval(hours => ${hours})`;

/** What was refused by our own fault, by App: its provider is asked for it. */
function outagesOf(refusals: Refusal[]): Outage[] {
  const ours = Map.groupBy(
    refusals.filter(({ code }) => code === 'unavailable'),
    ({ app_id: id }) => id,
  );
  return [...ours].map(([app_id, of]) => {
    const times = of.flatMap(({ at, last_at: last }) => [at.getTime(), (last ?? at).getTime()]);
    const [since, until] = [new Date(Math.min(...times)), new Date(Math.max(...times))];
    return { id: newId('out'), app_id, since, until, announced_at: null };
  });
}
