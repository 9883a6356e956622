import {
  type ChangeRecord,
  type Credentials,
  type ListChangesCall,
  type ListChangesResult,
  type JsonObject,
  parseJson,
  type SourceFailure,
  sourceFailure,
} from '#libs/adapter-sdk';
import { objectOf, objectsOf, textOf } from '../provider-calls/json-fields.js';
import { callGmail, type GmailHttp, type GmailRequest } from './gmail-api.js';

const PAGE_SIZE = '500';
const MAX_TOKEN_LENGTH = 2_000;
const EXPIRED = {
  ok: false,
  error: 'cursor_expired',
  message: 'the history of the mailbox no longer covers the cursor',
} as const;

/** How far a label has been read: within the first listing, or to a point of the mailbox's history. */
interface MailboxCursor {
  historyId: string;
  mode: 'listing' | 'history';
  /** Empty at the start of a listing or of a pass through the history. */
  pageToken: string;
}

/**
 * The mails of one label (`INBOX`, or a label's id) as documents `<message id>.eml`: first the whole label, page by
 * page, then what the mailbox's history names. A mail never changes, so its id is its fingerprint. Gmail keeps its
 * history for about a week; an older cursor is `cursor_expired`. They are for whom the mailbox is.
 */
export async function listChanges(call: ListChangesCall, http: GmailHttp): Promise<ListChangesResult> {
  const label = call.resource_path;
  if (!/^[\w-]{1,200}$/.test(label))
    return { ok: false, error: 'not_found', message: 'resource_path must be a label id' };
  const given = call.cursor === null ? null : readCursor(call.cursor);
  if (given === undefined) return EXPIRED;
  // Further pages have what the first one said.
  if (given !== null && given.pageToken !== '') return page(given);
  const known = given === null ? null : await page(given);
  if (known !== null && 'error' in known) return known;
  // Read before a first listing, so that changes during the listing are in the history that follows.
  const mailbox = await readMailbox(call.credentials, http);
  if ('error' in mailbox) return mailbox;
  const listed = known ?? (await page({ mode: 'listing', historyId: mailbox.historyId, pageToken: '' }));
  return 'error' in listed ? listed : { ...listed, access: { audience: 'listed', readers: [mailbox.address] } };

  function page(cursor: MailboxCursor): Promise<ListChangesResult> {
    return cursor.mode === 'listing'
      ? listLabel(call.credentials, label, cursor, http)
      : listHistory(call.credentials, label, cursor, http);
  }
}

/** Its address stands for the only one whom Gmail names as its reader: delegates it names to administrators alone. */
async function readMailbox(
  credentials: Credentials,
  http: GmailHttp,
): Promise<{ historyId: string; address: string } | SourceFailure> {
  const answer = await callGmail(credentials, { path: 'profile' }, http);
  if ('ok' in answer) return sourceFailure(answer);
  const profile = objectOf(answer.json);
  const [historyId, address] = [textOf(profile.historyId), textOf(profile.emailAddress)];
  if (historyId !== undefined && address !== undefined) return { historyId, address };
  return { ok: false, error: 'provider_unavailable', message: 'Gmail returned no address or no history id' };
}

async function listLabel(
  credentials: Credentials,
  label: string,
  cursor: MailboxCursor,
  http: GmailHttp,
): Promise<ListChangesResult> {
  const query: GmailRequest['query'] = [['labelIds', label], ['maxResults', PAGE_SIZE], ...pageOf(cursor)];
  const answer = await callGmail(credentials, { path: 'messages', query }, http);
  if ('ok' in answer) return sourceFailure(answer);
  const { messages, nextPageToken } = objectOf(answer.json);
  const changes = objectsOf(messages).flatMap((entry): ChangeRecord[] => {
    const id = textOf(entry.id);
    return id === undefined ? [] : [{ path: `${id}.eml`, fingerprint: id, status: 'added' }];
  });
  const next = textOf(nextPageToken);
  return next === undefined
    ? { changes, cursor: writeCursor({ ...cursor, mode: 'history', pageToken: '' }), full: true }
    : { changes, cursor: writeCursor({ ...cursor, pageToken: next }), has_more: true, full: true };
}

async function listHistory(
  credentials: Credentials,
  label: string,
  cursor: MailboxCursor,
  http: GmailHttp,
): Promise<ListChangesResult> {
  // Not filtered by the label: that would miss mails that lost it.
  const query: GmailRequest['query'] = [
    ['startHistoryId', cursor.historyId],
    ['maxResults', PAGE_SIZE],
    ...pageOf(cursor),
  ];
  const answer = await callGmail(credentials, { path: 'history', query }, http);
  if ('ok' in answer) return answer.error === 'not_found' ? EXPIRED : sourceFailure(answer);
  const { history, historyId, nextPageToken } = objectOf(answer.json);
  const changes = changesIn(objectsOf(history), label);
  const next = textOf(nextPageToken);
  if (next !== undefined) return { changes, cursor: writeCursor({ ...cursor, pageToken: next }), has_more: true };
  return {
    changes,
    cursor: writeCursor({ mode: 'history', historyId: textOf(historyId) ?? cursor.historyId, pageToken: '' }),
  };
}

function pageOf({ pageToken }: MailboxCursor): [string, string][] {
  return pageToken === '' ? [] : [['pageToken', pageToken]];
}

/** What history records, oldest first, did to a label: one change per mail, the last one. */
function changesIn(records: readonly JsonObject[], label: string): ChangeRecord[] {
  const changes = new Map<string, ChangeRecord>();
  const note = (entry: JsonObject, present: boolean): void => {
    const id = textOf(objectOf(entry.message).id);
    if (id === undefined) return;
    const path = `${id}.eml`;
    changes.set(
      path,
      present ? { path, fingerprint: id, status: 'added' } : { path, fingerprint: null, status: 'removed' },
    );
  };
  for (const record of records) {
    for (const entry of objectsOf(record.messagesAdded)) {
      if (names(objectOf(entry.message).labelIds, label)) note(entry, true);
    }
    for (const entry of objectsOf(record.labelsAdded)) if (names(entry.labelIds, label)) note(entry, true);
    for (const entry of objectsOf(record.labelsRemoved)) if (names(entry.labelIds, label)) note(entry, false);
    for (const entry of objectsOf(record.messagesDeleted)) note(entry, false);
  }
  return [...changes.values()];
}

function names(labels: unknown, label: string): boolean {
  return Array.isArray(labels) && labels.includes(label);
}

function writeCursor({ historyId, mode, pageToken }: MailboxCursor): string {
  return Buffer.from(JSON.stringify([1, mode, historyId, pageToken])).toString('base64url');
}

/** Undefined for a text that `writeCursor` did not write. */
function readCursor(text: string): MailboxCursor | undefined {
  const parsed = parseJson(Buffer.from(text, 'base64url').toString('utf8'));
  if (!Array.isArray(parsed) || parsed.length !== 4) return undefined;
  const [version, mode, historyId, pageToken]: unknown[] = parsed;
  if (version !== 1 || (mode !== 'listing' && mode !== 'history')) return undefined;
  if (typeof historyId !== 'string' || !/^\d{1,30}$/.test(historyId)) return undefined;
  if (typeof pageToken !== 'string' || pageToken.length > MAX_TOKEN_LENGTH) return undefined;
  return { historyId, mode, pageToken };
}
