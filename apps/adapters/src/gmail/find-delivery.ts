import {
  headerValue,
  InvalidRequest,
  ProviderUnavailable,
  type LookupCall,
  type LookupResult,
} from '#libs/adapter-sdk';
import { completesDelivery, DELIVERY_HEADER } from '../mail/delivery-header.js';
import { isMailAddress } from '../mail/mail-address.js';
import { headerMap } from '../mail/read-mime.js';
import { objectOf, objectsOf, textOf } from '../provider-calls/json-fields.js';
import { callGmail, type GmailHttp } from './gmail-api.js';

/** Mails to check, newest first: those sent to one address within a day. */
const MAX_CANDIDATES = 25;
const LOOK_BACK_MS = 24 * 3600 * 1000;

/**
 * Whether a delivery whose answer was lost is in the mailbox, by the header that it carries. A delivery in parts has
 * arrived when its last part has.
 * @throws ProviderUnavailable when the mailbox cannot be searched: not searched must not pass for not found
 */
export async function findDelivery(call: LookupCall, http: GmailHttp): Promise<LookupResult> {
  if (!isMailAddress(call.channel_address)) throw new InvalidRequest('channel_address must be one mail address');
  const ask = async (path: string, query: [string, string][]): Promise<unknown> => {
    const answer = await callGmail(call.credentials, { path, query }, http);
    if (!('ok' in answer)) return answer.json;
    throw new ProviderUnavailable(`the mailbox cannot be searched: ${answer.error}`, answer.error_detail?.retry_after);
  };
  const after = Math.floor((Date.now() - LOOK_BACK_MS) / 1000);
  const listed = await ask('messages', [
    ['q', `in:sent to:${call.channel_address} after:${after}`],
    ['maxResults', String(MAX_CANDIDATES)],
  ]);
  for (const candidate of objectsOf(objectOf(listed).messages)) {
    const id = textOf(candidate.id);
    if (id === undefined) continue;
    const message = await ask(`messages/${encodeURIComponent(id)}`, [
      ['format', 'metadata'],
      ['metadataHeaders', DELIVERY_HEADER],
    ]);
    const headers = objectsOf(objectOf(objectOf(message).payload).headers);
    const mark = headerValue(
      headerMap(headers.map((header) => [textOf(header.name) ?? '', textOf(header.value) ?? ''])),
      DELIVERY_HEADER,
    );
    if (completesDelivery(mark, call.idempotency_key)) return { found: true, message_id: id };
  }
  return { found: false };
}
