import { newId, type NormalizedMessage, type ScopeColumns, type TrustGrade } from '#libs/contracts';
import type { Queryable } from '#libs/database';
import { createHash, randomInt } from 'node:crypto';
import type { Exchange } from '../guards/loop-breaker.js';

export type ContactStatus = 'unknown' | 'known' | 'blocked';

/** The sender of a message, as resolved when the message was claimed; `null` in its place: the built-in Webhook app. */
export interface SenderContext {
  appId: string;
  sender: string;
  /** The contact that the sender belongs to. */
  contactId: string;
  /** The contact that it would belong to without merges. */
  homeId: string;
  name: string;
  status: ContactStatus;
  dailyBudget: number | null;
  exchange: Exchange;
  /** True when the sender is seen for the first time. */
  isNew: boolean;
}

export function trustOf(senderContext: SenderContext | null): TrustGrade {
  if (!senderContext) return 'builtin';
  return senderContext.status === 'known' ? 'known' : 'unknown';
}

/** The key of a sender in a map. */
export function senderKey(appId: string, message: Pick<NormalizedMessage, 'sender'>): string {
  return `${appId} ${message.sender}`;
}

export interface SenderOf extends ScopeColumns {
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

/** No vowels and no look-alikes: a code is read aloud, and must not spell a word. */
const alphabet = '23456789BCDFGHJKLMNPQRSTVWXZ';
const codeChars = 8;

export function newPairingCode(): string {
  return Array.from({ length: codeChars }, () => alphabet[randomInt(alphabet.length)]).join('');
}

export function pairingHash(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}

/** The code that a message consists of, or null; ignores case and spaces. */
function codeIn(text: string): string | null {
  const bare = text.toUpperCase().replace(/[\s-]+/g, '');
  return bare.length === codeChars && [...bare].every((letter) => alphabet.includes(letter)) ? bare : null;
}

/**
 * Consumes the codes that unknown senders sent, and makes those senders known.
 * @returns for each message whether it paired its sender
 */
export async function pairSenders(
  tx: Queryable,
  messages: { appId: string; text: string; senderContext: SenderContext | null }[],
): Promise<boolean[]> {
  const paired: boolean[] = [];
  for (const { appId, text, senderContext } of messages) {
    const code = senderContext?.status === 'unknown' ? codeIn(text) : null;
    paired.push(code !== null && senderContext !== null && (await pairSender(tx, appId, code, senderContext)));
  }
  return paired;
}

async function pairSender(tx: Queryable, appId: string, code: string, senderContext: SenderContext): Promise<boolean> {
  const used: unknown = await tx.query(
    `UPDATE router.pairing_code SET used_at = now()
      WHERE app_id = $1 AND code_hash = $2 AND used_at IS NULL AND expires_at > now()`,
    [appId, pairingHash(code)],
  );
  if ((used as [unknown[], number])[1] === 0) return false;
  // The contact's other identities are updated when its status next changes: locking them here could deadlock.
  await tx.query(`UPDATE router.contact SET status = 'known', updated_at = now() WHERE id = $1`, [
    senderContext.contactId,
  ]);
  await tx.query(`UPDATE router.contact_identity SET status = 'known' WHERE app_id = $1 AND sender = $2`, [
    appId,
    senderContext.sender,
  ]);
  senderContext.status = 'known';
  return true;
}

/** A message over its contact's daily budget. */
export interface OverBudget {
  most: number;
  /** The contact was informed of it today. */
  noticed: boolean;
}

/**
 * Counts messages against the daily budgets of their contacts (UTC days). The counts stay locked until the end of `tx`.
 * @param senderContexts the sender of each message, in order
 * @returns for each message null when it is within the budget
 */
export async function countAgainstBudget(
  tx: Queryable,
  senderContexts: SenderContext[],
): Promise<(OverBudget | null)[]> {
  const asked = new Map<string, number>();
  for (const { contactId, dailyBudget } of senderContexts) {
    if (dailyBudget !== null) asked.set(contactId, (asked.get(contactId) ?? 0) + 1);
  }
  if (asked.size === 0) return senderContexts.map(() => null);
  const ids = [...asked.keys()].sort();
  const rows = (await tx.query(
    `INSERT INTO router.contact_day AS d (contact_id, day, messages)
     SELECT id, (now() AT TIME ZONE 'UTC')::date, n FROM unnest($1::text[], $2::integer[]) AS g(id, n)
     ON CONFLICT (contact_id, day) DO UPDATE SET messages = d.messages + excluded.messages
     RETURNING contact_id, messages, noticed`,
    [ids, ids.map((id) => asked.get(id))],
  )) as { contact_id: string; messages: number; noticed: boolean }[];
  const used = new Map(rows.map((row) => [row.contact_id, row.messages - (asked.get(row.contact_id) ?? 0)]));
  const noticed = new Set(rows.flatMap((row) => (row.noticed ? [row.contact_id] : [])));
  return senderContexts.map(({ contactId, dailyBudget }) => {
    if (dailyBudget === null) return null;
    const before = used.get(contactId) ?? 0;
    used.set(contactId, before + 1);
    return before < dailyBudget ? null : { most: dailyBudget, noticed: noticed.has(contactId) };
  });
}

/** Records that contacts are informed today, in the transaction that counted their messages. */
export async function noteInformed(tx: Queryable, contactIds: string[]): Promise<void> {
  if (contactIds.length === 0) return;
  await tx.query(
    `UPDATE router.contact_day SET noticed = true WHERE contact_id = ANY($1) AND day = (now() AT TIME ZONE 'UTC')::date`,
    [contactIds],
  );
}
