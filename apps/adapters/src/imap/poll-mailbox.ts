import type { FetchMessageObject } from 'imapflow';
import { deliverFailure, type PollCall, type PollResult } from '#libs/adapter-sdk';
import { EgressError } from '#libs/egress';
import { type ImapAccount, readAccount } from './imap-account.js';
import { ImapFailure, imapFailure } from './imap-failure.js';
import { inFolder, type ImapNetwork, type OpenFolder } from './imap-session.js';
import { type MailCursor, readCursor, writeCursor } from './mail-cursor.js';
import { mailEvent } from './mail-event.js';

/** Of all mails in one answer, before base64: the gateway takes 4 MiB. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
const MAX_MAILS = 50;
/** Clocks differ, and a mail is dated before it is in the folder. */
const LOOK_BACK_SECONDS = 600;

export interface PollSettings extends ImapNetwork {
  maxMailBytes: number;
}

/**
 * The mails of a folder from the cursor on, whole or as far as `maxMailBytes`; without any it waits, by IDLE. The first
 * call begins at now. Nothing is changed in the mailbox.
 */
export async function pollMailbox(call: PollCall, settings: PollSettings): Promise<PollResult> {
  const account = readAccount(call.credentials);
  if ('problem' in account) return deliverFailure('auth_failed', account.problem);
  const cursor = call.cursor === undefined ? undefined : readCursor(call.cursor);
  if (call.cursor !== undefined && !cursor) return deliverFailure('invalid_request', 'cursor is of no mailbox');
  try {
    return await inFolder(account, settings, async (folder) => {
      const { start, gap } = cursor ? await startOf(cursor, account, folder) : { start: folder.uidNext };
      let uids = await uidsFrom(folder, start);
      if (uids.length === 0 && cursor && !gap) {
        await arrival(folder, call.wait_seconds * 1_000);
        uids = await uidsFrom(folder, start);
      }
      const { mails, last } = await fetchMails(folder, uids, settings.maxMailBytes);
      const events = mails.map((mail) => mailEvent(mail, { account, uidValidity: folder.uidValidity }));
      const next = last === undefined ? start : last + 1;
      return {
        ok: true,
        events,
        cursor: writeCursor({ key: account.key, uidValidity: folder.uidValidity, next, asked: nowSeconds() }),
        ...(gap && { gap }),
      };
    });
  } catch (error) {
    if (error instanceof ImapFailure || error instanceof EgressError) return imapFailure(error);
    throw error;
  }
}

/**
 * The first UID to read. UIDs of another UIDVALIDITY say nothing: reading begins at the first mail since the last answer,
 * and the Message-IDs tell which were read before. What else the server has dropped nobody knows, so it is a gap.
 */
async function startOf(
  { key, uidValidity, next, asked }: MailCursor,
  account: ImapAccount,
  folder: OpenFolder,
): Promise<{ start: number; gap?: { reason: string; since: string } }> {
  const since = new Date((asked - LOOK_BACK_SECONDS) * 1_000);
  if (key !== account.key) {
    const reason = 'the App was given another mailbox or folder, which is read from now on';
    return { start: folder.uidNext, gap: { reason, since: since.toISOString() } };
  }
  if (uidValidity === folder.uidValidity) return { start: next };
  const { client, read } = folder;
  const reason = 'new UIDVALIDITY: the server numbered the folder anew, mails since then are read again';
  const uids = await read(async () => {
    // By the day where the server is.
    const dayBefore = new Date(since.getTime() - 86_400_000);
    const found = searched(await client.search({ since: dayBefore }, { uid: true }));
    if (found.length === 0) return [];
    const dated = await client.fetchAll(found, { uid: true, internalDate: true }, { uid: true });
    return dated.filter(({ internalDate }) => !internalDate || new Date(internalDate) >= since).map(({ uid }) => uid);
  });
  const start = uids.reduce((first, uid) => Math.min(first, uid), folder.uidNext);
  return { start, gap: { reason, since: since.toISOString() } };
}

/** The first UIDs from one on. `n:*` is also the last mail when there is none from `n` on. */
async function uidsFrom({ client, read }: OpenFolder, start: number): Promise<number[]> {
  const found = await read(async () => searched(await client.search({ uid: `${start}:*` }, { uid: true })));
  return found
    .filter((uid) => uid >= start)
    .sort((a, b) => a - b)
    .slice(0, MAX_MAILS);
}

/** A refused search is no empty one. */
function searched(found: number[] | false | undefined): number[] {
  if (!found) throw new Error('the server refused to search');
  return found;
}

/** As many as an answer takes, one by one, and the last UID that they reach. A mail that is gone by now is passed over. */
async function fetchMails(
  { client, read }: OpenFolder,
  uids: number[],
  maxLength: number,
): Promise<{ mails: FetchMessageObject[]; last: number | undefined }> {
  const query = { uid: true, size: true, internalDate: true, source: { start: 0, maxLength } };
  const mails: FetchMessageObject[] = [];
  let bytes = 0;
  let last: number | undefined;
  for (const uid of uids) {
    if (bytes > MAX_ANSWER_BYTES - maxLength) break;
    const mail = await read(() => client.fetchOne(uid, query, { uid: true }), uid);
    last = uid;
    if (!mail || !mail.source) continue;
    bytes += mail.source.length;
    mails.push(mail);
  }
  return { mails, last };
}

/** Resolves when the server says that there is a mail, or after the time. */
async function arrival({ client, read }: OpenFolder, waitMs: number): Promise<void> {
  if (waitMs <= 0) return;
  let timer: NodeJS.Timeout | undefined;
  const ended = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, waitMs);
    client.once('exists', () => resolve());
    client.once('close', () => resolve());
  });
  try {
    // It ends when the next command is given.
    const idling = read(() => client.idle());
    idling.catch(() => undefined);
    await ended;
  } finally {
    clearTimeout(timer);
  }
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}
