import type { FetchMessageObject } from 'imapflow';
import { isJsonObject, parseJson, type PolledEvent } from '#libs/adapter-sdk';
import { textOf } from '../provider-calls/json-fields.js';
import type { ImapAccount } from './imap-account.js';

/** A mail as an event carries it from `/poll` to `/parse-inbound`. */
export interface CarriedMail {
  folder: string;
  uidValidity: string;
  uid: string;
  /** When the server took it. */
  receivedAt: string | undefined;
  bytes: Buffer;
  /** Of the whole mail. */
  size: number;
}

export function mailEvent(
  { uid, source, size, internalDate }: FetchMessageObject,
  { account, uidValidity }: { account: ImapAccount; uidValidity: string },
): PolledEvent {
  const bytes = source ?? Buffer.alloc(0);
  const body = {
    folder: account.folder,
    uid_validity: uidValidity,
    uid: String(uid),
    ...(internalDate && { received_at: new Date(internalDate).toISOString() }),
    size: Math.max(size ?? 0, bytes.length),
    mail: bytes.toString('base64'),
  };
  return { id: `imap:${account.key}:${uidValidity}:${uid}`, body: JSON.stringify(body) };
}

/** @returns undefined for a text that is no such event */
export function readMailEvent(text: string): CarriedMail | undefined {
  const body = parseJson(text);
  if (!isJsonObject(body)) return undefined;
  const [folder, uidValidity, uid] = [textOf(body.folder), textOf(body.uid_validity), textOf(body.uid)];
  const mail = textOf(body.mail);
  if (folder === undefined || mail === undefined || !isNumber(uidValidity) || !isNumber(uid)) return undefined;
  const receivedAt = textOf(body.received_at);
  const bytes = Buffer.from(mail, 'base64');
  return {
    folder,
    uidValidity,
    uid,
    receivedAt: Number.isNaN(Date.parse(receivedAt ?? '')) ? undefined : receivedAt,
    bytes,
    size: typeof body.size === 'number' ? body.size : bytes.length,
  };
}

function isNumber(text: string | undefined): text is string {
  return text !== undefined && /^\d{1,20}$/.test(text);
}
