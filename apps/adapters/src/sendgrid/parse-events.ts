import { ignoredMessage, isJsonObject, type JsonObject, type NormalizedMessage } from '#libs/adapter-sdk';
import { objectsOf, textOf } from '../provider-calls/json-fields.js';

/** Name of the custom argument that comes back with every event of a mail; its value is the delivery's key. */
export const DELIVERY_ARGUMENT = 'gatehouse_delivery';

/** Source: SendGrid, Event Webhook Reference. */
const EVENTS = [
  'processed',
  'deferred',
  'delivered',
  'bounce',
  'dropped',
  'open',
  'click',
  'spamreport',
  'unsubscribe',
  'group_unsubscribe',
  'group_resubscribe',
];
const FAILED = ['bounce', 'dropped'];

/** The events of one webhook, each as its own message. */
export function parseEvents(document: unknown): NormalizedMessage {
  const events = objectsOf(Array.isArray(document) ? document : isJsonObject(document) ? [document] : []);
  const [first, ...more] = events.map(parseEvent);
  if (!first) return ignoredMessage('no_events');
  if (more.length === 0) return first;
  return {
    event_type: 'batch',
    sender: 'sendgrid',
    message: '',
    is_bot: false,
    metadata: { messages: [first, ...more] },
  };
}

/** An event has no address to answer: answering the outcome of a mail with a mail would never end. */
function parseEvent(event: JsonObject): NormalizedMessage {
  const [status, email] = [textOf(event.event) ?? '', textOf(event.email)];
  if (!EVENTS.includes(status) || email === undefined) return ignoredMessage('unknown_event', { raw_type: status });
  const eventId = textOf(event.sg_event_id);
  const delivery = textOf(event[DELIVERY_ARGUMENT]);
  // The part after the first dot names SendGrid's machine, and differs between the events of one mail.
  const messageId = textOf(event.sg_message_id)?.split('.')[0];
  const reason = textOf(event.reason) ?? textOf(event.response);
  const seconds = Number(textOf(event.timestamp) ?? Number.NaN);
  const time = new Date(seconds * 1000);
  return {
    event_type: 'delivery_status',
    sender: email.toLowerCase(),
    message: reason === undefined ? `${status}: ${email}` : `${status}: ${email}: ${reason}`,
    is_bot: false,
    ...(eventId !== undefined && { dedup_key: `sendgrid:event:${eventId}` }),
    metadata: {
      status,
      auto_submitted: true,
      bounce: FAILED.includes(status),
      notification: true,
      channel_address: null,
      raw_type: `sendgrid.${status}`,
      ...(messageId !== undefined && { message_id: messageId }),
      ...(delivery !== undefined && { delivery_key: delivery }),
      ...(reason !== undefined && { reason }),
      ...(textOf(event.type) !== undefined && { bounce_type: textOf(event.type) }),
      ...(textOf(event.url) !== undefined && { url: textOf(event.url) }),
      ...(!Number.isNaN(time.getTime()) && { timestamp: time.toISOString() }),
    },
  };
}
