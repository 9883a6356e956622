import type { ChangeRecord, Credentials, ListChangesCall, ListChangesResult } from '#libs/adapter-sdk';
import { objectOf, objectsOf, textOf } from '../provider-calls/json-fields.js';
import { callGmail, type GmailHttp, type GmailRequest } from './gmail-api.js';
import { changesIn } from './history-changes.js';
import { readCursor, writeCursor, type MailboxCursor } from './mailbox-cursor.js';
import { sourceFailure } from '../provider-calls/source-failure.js';

const PAGE_SIZE = '500';
const EXPIRED = { ok: false, error: 'cursor_expired', message: 'the history does not reach back that far' } as const;

/**
 * The mails of one label (`INBOX`, or a label's id) as documents `<message id>.eml`: first the whole label, page by page, then
 * what the mailbox's history names. A mail never changes, so its id is its fingerprint. Gmail keeps its history for about a
 * week; an older cursor is `cursor_expired`.
 */
export async function listChanges(call: ListChangesCall, http: GmailHttp): Promise<ListChangesResult> {
  const label = call.resource_path;
  if (!/^[\w-]{1,200}$/.test(label))
    return { ok: false, error: 'not_found', message: 'resource_path must be a label id' };
  if (call.cursor === null) {
    const historyId = await currentHistoryId(call.credentials, http);
    if (typeof historyId !== 'string') return historyId;
    return listLabel(call.credentials, label, { mode: 'listing', historyId, pageToken: '' }, http);
  }
  const cursor = readCursor(call.cursor);
  if (!cursor) return EXPIRED;
  return cursor.mode === 'listing'
    ? listLabel(call.credentials, label, cursor, http)
    : listHistory(call.credentials, label, cursor, http);
}

/** Taken before the first page, so that what changes during the listing is in the history that follows it. */
async function currentHistoryId(credentials: Credentials, http: GmailHttp): Promise<ListChangesResult | string> {
  const answer = await callGmail(credentials, { path: 'profile' }, http);
  if ('ok' in answer) return sourceFailure(answer);
  const historyId = textOf(objectOf(answer.json).historyId);
  return historyId ?? { ok: false, error: 'provider_unavailable', message: 'Gmail named no history id' };
}

async function listLabel(
  credentials: Credentials,
  label: string,
  cursor: MailboxCursor,
  http: GmailHttp,
): Promise<ListChangesResult> {
  const query: GmailRequest['query'] = [['labelIds', label], ['maxResults', PAGE_SIZE], ...page(cursor)];
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
  // Not narrowed to the label: a mail that has lost it would be left out, too.
  const query: GmailRequest['query'] = [
    ['startHistoryId', cursor.historyId],
    ['maxResults', PAGE_SIZE],
    ...page(cursor),
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

function page({ pageToken }: MailboxCursor): [string, string][] {
  return pageToken === '' ? [] : [['pageToken', pageToken]];
}
