import {
  ignoredMessage,
  type InboundCall,
  isJsonObject,
  type JsonObject,
  type NormalizedMessage,
  parseJson,
} from '#libs/adapter-sdk';
import { objectOf, objectsOf, textOf } from '../provider-calls/json-fields.js';
import { parseMessage } from './parse-message.js';
import { parseStatus } from './parse-status.js';

/**
 * One webhook has messages and statuses of several numbers; those of other numbers than the App's are not its own.
 * Source: https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks/payload-examples
 */
export function parseWhatsappInbound({ request, credentials }: InboundCall): NormalizedMessage {
  const document = parseJson(request.text);
  if (!isJsonObject(document) || document.object !== 'whatsapp_business_account') return ignoredMessage('unknown_body');
  const own = textOf(credentials.phone_number_id);
  const values = objectsOf(document.entry)
    .flatMap((entry) => objectsOf(entry.changes))
    .filter(({ field }) => field === 'messages')
    .map(({ value }) => objectOf(value));
  const [first, ...more] = values.filter((value) => isOwn(value, own)).flatMap(messagesOf);
  if (!first) return ignoredMessage(values.length > 0 ? 'of_another_number' : 'unknown_event');
  if (more.length === 0) return first;
  return {
    event_type: 'batch',
    sender: 'whatsapp',
    message: '',
    is_bot: false,
    metadata: { messages: [first, ...more] },
  };
}

function isOwn({ metadata }: JsonObject, own: string | undefined): boolean {
  const number = textOf(objectOf(metadata).phone_number_id);
  return own === undefined || number === undefined || number === own;
}

function messagesOf(value: JsonObject): NormalizedMessage[] {
  const names = new Map(
    objectsOf(value.contacts).map(({ wa_id: id, profile }) => [textOf(id), textOf(objectOf(profile).name)]),
  );
  const account = textOf(objectOf(value.metadata).phone_number_id);
  return [
    ...objectsOf(value.messages).map((message) => parseMessage(message, { names, account })),
    ...objectsOf(value.statuses).map((status) => parseStatus(status, account)),
  ];
}
