import { AuditLog } from '#libs/audit';
import type { Order } from '#libs/contracts';
import { keyset } from '#libs/database';
import { beginningWith, type Principal, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { DataSource, type EntityManager } from 'typeorm';
import { type MessageRow, type Packed, unpacked } from '../../entities/message.entity.js';
import type { ContactRow, IdentityRow } from './contact.entity.js';

type Change = Partial<Pick<ContactRow, 'name' | 'status' | 'daily_budget'>>;

/** How far back a contact's messages are looked through. */
const lookedThrough = 500;
/** How many identities with an address that begins as asked for are looked at. */
const mostAddresses = 1_000;

/** What is asked of a message before a contact is written to. */
type AnswerableMessage = Pick<MessageRow, 'app_id' | 'message'>;

/** An identity as people see it. */
export type Identity = Pick<IdentityRow, 'app_id' | 'sender' | 'home_id' | 'paused_until' | 'pause_reason' | 'seen_at'>;

/**
 * Contacts and what they own. Identities repeat their contact's status, so each change updates both in one transaction.
 */
@Injectable()
export class ContactRepository {
  constructor(
    private readonly db: DataSource,
    private readonly audit: AuditLog,
  ) {}

  async find(organizationId: string, projectId: string, id: string): Promise<ContactRow | null> {
    const rows = (await this.db.query(
      'SELECT * FROM router.contact WHERE id = $1 AND organization_id = $2 AND project_id = $3',
      [id, organizationId, projectId],
    )) as ContactRow[];
    return rows[0] ?? null;
  }

  /** Newest first, without those merged into another. */
  async list(
    organizationId: string,
    projectId: string,
    filter: {
      ids: string[] | null;
      status: string | null;
      search: string | null;
      cursor: string | null;
      order: Order;
      limit: number;
    },
  ): Promise<ContactRow[]> {
    const { after, by } = keyset('id', '$4', filter.order);
    return (await this.db.query(
      `SELECT * FROM router.contact c WHERE organization_id = $1 AND project_id = $2 AND merged_into IS NULL
          AND ($3::text IS NULL OR status = $3) AND ${after}
          AND ($5::text IS NULL OR position(lower($5) IN lower(name)) > 0 OR id = ANY(ARRAY(
            SELECT contact_id FROM router.contact_identity
             WHERE project_id = $2 AND organization_id = $1 AND lower(sender) LIKE lower($8) LIMIT ${mostAddresses})))
          AND ($7::text[] IS NULL OR id = ANY($7))
        ORDER BY ${by} LIMIT $6`,
      [
        organizationId,
        projectId,
        filter.status,
        filter.cursor,
        filter.search,
        filter.limit,
        filter.ids,
        filter.search === null ? null : beginningWith(filter.search),
      ],
    )) as ContactRow[];
  }

  async identitiesOf(id: string): Promise<Identity[]> {
    return (await this.db.query(
      `SELECT app_id, sender, home_id, paused_until, pause_reason, seen_at FROM router.contact_identity
        WHERE contact_id = $1 ORDER BY app_id, sender`,
      [id],
    )) as Identity[];
  }

  /** Whether an erasure of its data was asked for, whatever became of it. */
  async hasErasure(id: string): Promise<boolean> {
    const rows: unknown[] = await this.db.query('SELECT FROM router.contact_erasure WHERE contact_id = $1', [id]);
    return rows.length > 0;
  }

  /** A contact and those merged into it: its history consists of all their messages. */
  async family(id: string): Promise<string[]> {
    return familyOf(this.db.manager, id);
  }

  /**
   * Of the last messages of these contacts, newest first, those that nobody else could read and that their App can
   * answer.
   */
  async privateMessages(ids: string[]): Promise<AnswerableMessage[]> {
    const rows = (await this.db.query(
      `SELECT app_id, message, packed FROM (
         SELECT id, app_id, message, packed, app_sends AND verified AND outcome IN ('routed', 'no_match') AS usable
           FROM router.message WHERE contact_id = ANY($1) ORDER BY id DESC LIMIT ${lookedThrough}) recent
        WHERE usable AND message -> 'is_dm' = 'true' ORDER BY id DESC LIMIT 20`,
      [ids],
    )) as Packed<AnswerableMessage>[];
    return rows.map(unpacked<AnswerableMessage>);
  }

  /**
   * Of the last messages of these contacts, newest first, the mails that a person wrote to us, and not through a list: an
   * App can write to their sender's own address.
   */
  async mails(ids: string[]): Promise<AnswerableMessage[]> {
    const rows = (await this.db.query(
      `SELECT app_id, message, packed FROM (
         SELECT id, app_id, message, packed, app_sends AND verified AND outcome IN ('routed', 'no_match') AS usable
           FROM router.message WHERE contact_id = ANY($1) ORDER BY id DESC LIMIT ${lookedThrough}) recent
        WHERE usable AND message ->> 'event_type' = 'email_received'
          AND message #> '{metadata,auto_submitted}' = 'false' AND message #> '{metadata,mailing_list}' = 'false'
          AND message #> '{metadata,list_address}' IS NULL ORDER BY id DESC LIMIT 20`,
      [ids],
    )) as Packed<AnswerableMessage>[];
    return rows.map(unpacked<AnswerableMessage>);
  }

  async change(id: string, change: Change): Promise<void> {
    await this.db.transaction(async (tx) => {
      await lockIdentities(tx, [id]);
      const { name, status, daily_budget: budget } = change;
      await tx.query(
        `UPDATE router.contact SET name = coalesce($2, name), status = coalesce($3, status),
                daily_budget = CASE WHEN $4 THEN $5::integer ELSE daily_budget END, updated_at = now() WHERE id = $1`,
        [id, name ?? null, status ?? null, budget !== undefined, budget ?? null],
      );
      await showContact(tx, id);
    });
  }

  async setReadsAs(caller: Principal, id: string, before: string[], readsAs: string[]): Promise<void> {
    if (isDeepStrictEqual(before, readsAs)) return;
    await this.db.transaction(async (tx) => {
      await tx.query('UPDATE router.contact SET reads_as = $2, updated_at = now() WHERE id = $1', [id, readsAs]);
      const change = { before: { reads_as: before }, after: { reads_as: readsAs } };
      await this.audit.append(tx, caller, { action: 'contact.reads_as_set', subject: id, ...change });
    });
  }

  /** Restarts the counts for a sender whose exchange was paused. */
  async resume(id: string): Promise<void> {
    await this.db.query(
      `UPDATE router.contact_identity SET paused_until = NULL, pause_reason = NULL, pause_noticed = false, inbound_at = '{}', replied_at = '{}',
              same_texts = 0, last_text = NULL, same_forms = 0, last_form = NULL WHERE contact_id = $1`,
      [id],
    );
  }

  /**
   * Counts one contact as another from now on. The messages of both are unchanged: a history is read across the family.
   * @throws Problem 409 `contact_erased`
   */
  async merge(id: string, into: string): Promise<void> {
    await this.db.transaction(async (tx) => {
      await lockIdentities(tx, [id, into]);
      await requireNotErased(tx, [id, into]);
      await tx.query('UPDATE router.contact SET merged_into = $2, updated_at = now() WHERE id = $1', [id, into]);
      await tx.query('UPDATE router.contact_identity SET contact_id = $2 WHERE contact_id = $1', [id, into]);
      await showContact(tx, into);
    });
  }

  /** Undoes a merge: everything that came with the contact leaves with it. */
  async unmerge(id: string, from: string): Promise<void> {
    await this.db.transaction(async (tx) => {
      await lockIdentities(tx, [id, from]);
      await tx.query('UPDATE router.contact SET merged_into = NULL, updated_at = now() WHERE id = $1', [id]);
      await tx.query('UPDATE router.contact_identity SET contact_id = $1 WHERE home_id = ANY($2)', [
        id,
        await familyOf(tx, id),
      ]);
      await showContact(tx, id);
    });
  }

  async addPairingCode(appId: string, codeHash: string, by: string, expiresAt: Date): Promise<void> {
    await this.db.query('DELETE FROM router.pairing_code WHERE app_id = $1 AND expires_at < now()', [appId]);
    await this.db.query(
      'INSERT INTO router.pairing_code (app_id, code_hash, made_by, expires_at) VALUES ($1, $2, $3, $4)',
      [appId, codeHash, by, expiresAt],
    );
  }
}

async function familyOf(tx: Pick<EntityManager, 'query'>, id: string): Promise<string[]> {
  const rows = (await tx.query(
    `WITH RECURSIVE family AS (
       SELECT id FROM router.contact WHERE id = $1
        UNION SELECT c.id FROM router.contact c JOIN family f ON c.merged_into = f.id)
     SELECT id FROM family`,
    [id],
  )) as { id: string }[];
  return rows.map((row) => row.id);
}

/** In the order in which routing locks them. */
async function lockIdentities(tx: EntityManager, ids: string[]): Promise<void> {
  await tx.query(
    `SELECT FROM router.contact_identity WHERE contact_id = ANY($1) ORDER BY app_id || ' ' || sender COLLATE "C" FOR UPDATE`,
    [ids],
  );
}

/** Whoever asks for an erasure locks the contact, too: either it sees the merge, or this sees the erasure. */
async function requireNotErased(tx: EntityManager, ids: string[]): Promise<void> {
  await tx.query('SELECT FROM router.contact WHERE id = ANY($1) ORDER BY id FOR UPDATE', [ids]);
  const erased = (await tx.query('SELECT contact_id AS id FROM router.contact_erasure WHERE contact_id = ANY($1)', [
    ids,
  ])) as { id: string }[];
  const [first] = erased;
  if (!first) return;
  const words = `The data of the contact ${first.id} was or is being erased: leave the other one by itself.`;
  throw new Problem(409, 'contact_erased', words);
}

async function showContact(tx: EntityManager, id: string): Promise<void> {
  await tx.query(
    `UPDATE router.contact_identity i SET name = c.name, status = c.status, daily_budget = c.daily_budget
       FROM router.contact c WHERE c.id = $1 AND i.contact_id = $1`,
    [id],
  );
}
