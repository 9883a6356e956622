import { newId } from '#libs/contracts';
import type { Queryable } from '#libs/database';
import type { ContactStatus } from '../../entities/contact.entity.js';
import { type SenderContext, senderKey } from './sender-context.js';

export interface SenderOf {
  organization_id: string;
  project_id: string;
  app_id: string;
  sender: string;
}

interface Resolved {
  app_id: string;
  sender: string;
  home_id: string;
  contact_id: string;
  name: string;
  status: ContactStatus;
  daily_budget: number | null;
  inbound_at: string[];
  replied_at: string[];
  last_text: string | null;
  same_texts: number;
  last_form: string | null;
  same_forms: number;
  paused_until: Date | null;
  pause_reason: string | null;
  pause_noticed: boolean;
}

// One statement locks every sender, creates the new ones and reads the latest state of the others: an upsert returns
// the row as it is after waiting for its lock, where a SELECT of the same statement would still see the earlier one.
const resolveSql = `
  WITH seen AS (
    INSERT INTO router.contact_identity AS i (app_id, sender, organization_id, project_id, home_id, contact_id, name, status,
      inbound_at, replied_at, same_texts, created_at, seen_at)
    SELECT app, sender, org, prj, contact, contact, left(sender, 200), 'unknown', '{}', '{}', 0, now(), now()
      FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) AS g(app, sender, org, prj, contact)
    ON CONFLICT (app_id, sender) DO UPDATE SET seen_at = now()
    RETURNING *),
  made AS (
    INSERT INTO router.contact (id, organization_id, project_id, name, status, created_at, updated_at)
    SELECT home_id, organization_id, project_id, name, status, now(), now() FROM seen WHERE home_id = ANY($5))
  SELECT app_id, sender, home_id, contact_id, name, status, daily_budget, inbound_at, replied_at, last_text, same_texts,
         last_form, same_forms, paused_until, pause_reason, pause_noticed FROM seen`;

/** Finds the contact of each sender, or creates one for a new sender. The senders stay locked until the end of `tx`. */
export async function resolveSenders(tx: Queryable, senders: SenderOf[]): Promise<Map<string, SenderContext>> {
  if (senders.length === 0) return new Map();
  const unique = [...new Map(senders.map((each) => [senderKey(each.app_id, each), each])).values()];
  // Sorted: batches of two routers with the same senders in different orders would deadlock.
  unique.sort((a, b) => (senderKey(a.app_id, a) < senderKey(b.app_id, b) ? -1 : 1));
  const newIds = unique.map(() => newId('con'));
  const rows = (await tx.query(resolveSql, [
    unique.map((each) => each.app_id),
    unique.map((each) => each.sender),
    unique.map((each) => each.organization_id),
    unique.map((each) => each.project_id),
    newIds,
  ])) as Resolved[];
  const fresh = new Set(newIds);
  return new Map(rows.map((row) => [senderKey(row.app_id, row), senderContextOf(row, fresh.has(row.home_id))]));
}

function senderContextOf(row: Resolved, isNew: boolean): SenderContext {
  return {
    appId: row.app_id,
    sender: row.sender,
    contactId: row.contact_id,
    homeId: row.home_id,
    name: row.name,
    status: row.status,
    dailyBudget: row.daily_budget,
    isNew,
    exchange: {
      inboundAt: row.inbound_at.map(Number),
      repliedAt: row.replied_at.map(Number),
      lastText: row.last_text,
      sameTexts: row.same_texts,
      lastForm: row.last_form,
      sameForms: row.same_forms,
      pausedUntil: row.paused_until?.getTime() ?? null,
      pauseReason: row.pause_reason,
      pauseNoticed: row.pause_noticed,
    },
  };
}

/** Stores what the loop breaker noted, for the senders that `resolveSenders` locked. */
export async function keepExchanges(tx: Queryable, senderContexts: SenderContext[]): Promise<void> {
  if (senderContexts.length === 0) return;
  await tx.query(
    `UPDATE router.contact_identity i SET inbound_at = g.inbound::bigint[], replied_at = g.replied::bigint[],
            last_text = g.last_text, same_texts = g.same_texts, last_form = g.last_form, same_forms = g.same_forms,
            pause_reason = g.pause_reason, pause_noticed = g.pause_noticed,
            paused_until = to_timestamp(g.paused_until / 1000.0)
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::integer[], $7::double precision[], $8::text[],
                   $9::text[], $10::integer[], $11::boolean[])
         AS g(app, sender, inbound, replied, last_text, same_texts, paused_until, pause_reason, last_form, same_forms,
              pause_noticed)
      WHERE i.app_id = g.app AND i.sender = g.sender`,
    [
      senderContexts.map((each) => each.appId),
      senderContexts.map((each) => each.sender),
      senderContexts.map(({ exchange }) => `{${exchange.inboundAt.join()}}`),
      senderContexts.map(({ exchange }) => `{${exchange.repliedAt.join()}}`),
      senderContexts.map(({ exchange }) => exchange.lastText),
      senderContexts.map(({ exchange }) => exchange.sameTexts),
      senderContexts.map(({ exchange }) => exchange.pausedUntil),
      senderContexts.map(({ exchange }) => exchange.pauseReason),
      senderContexts.map(({ exchange }) => exchange.lastForm),
      senderContexts.map(({ exchange }) => exchange.sameForms),
      senderContexts.map(({ exchange }) => exchange.pauseNoticed),
    ],
  );
}
