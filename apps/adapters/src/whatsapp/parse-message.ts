import {
  ignoredMessage,
  type JsonObject,
  type MessageAttachment,
  type NormalizedMessage,
  readActionData,
} from '#libs/adapter-sdk';
import { objectOf, objectsOf, textOf } from '../provider-calls/json-fields.js';

interface MessageContext {
  /** Of people, by their number. */
  names: ReadonlyMap<string | undefined, string | undefined>;
  /** The App's own number, as its id. */
  account: string | undefined;
}

type Content = Pick<NormalizedMessage, 'event_type' | 'message'> & { metadata?: NormalizedMessage['metadata'] };

const MEDIA = ['image', 'audio', 'video', 'document', 'sticker'] as const;

export function parseMessage(message: JsonObject, { names, account }: MessageContext): NormalizedMessage {
  const [id, from, type] = [textOf(message.id), textOf(message.from), textOf(message.type) ?? 'unknown'];
  if (id === undefined || from === undefined) return ignoredMessage('unknown_message', { raw_type: type });
  const content = contentOf(type, message, id);
  if (!content) return ignoredMessage('no_text', { raw_type: type, channel_address: from });
  const name = names.get(from);
  const timestamp = timeOf(message.timestamp);
  const quoted = textOf(objectOf(message.context).id);
  return {
    event_type: content.event_type,
    sender: from,
    message: content.message,
    is_bot: false,
    is_dm: true,
    dedup_key: `whatsapp:${id}`,
    metadata: {
      channel_address: from,
      message_id: id,
      raw_type: type,
      sender: { id: from, ...(name !== undefined && { name }) },
      ...(account !== undefined && { account }),
      ...(timestamp !== undefined && { timestamp }),
      ...(quoted !== undefined && { in_reply_to: quoted }),
      ...(isForwarded(message) && { forwarded: true, forwarded_from: {} }),
      ...content.metadata,
    },
  };
}

/** WhatsApp does not say whose it was. */
function isForwarded({ context }: JsonObject): boolean {
  return objectOf(context).forwarded === true || objectOf(context).frequently_forwarded === true;
}

function contentOf(type: string, message: JsonObject, id: string): Content | undefined {
  const of = objectOf(message[type]);
  const contentWith = (text: string | undefined, metadata: NormalizedMessage['metadata'] = {}): Content | undefined =>
    text === undefined ? undefined : { event_type: 'message_received', message: text, metadata };
  if (MEDIA.some((kind) => kind === type)) {
    const file = attachmentOf(of, type);
    return file && contentWith(textOf(of.caption) ?? '', { attachments: [file] });
  }
  switch (type) {
    case 'text':
      return contentWith(textOf(of.body));
    case 'button':
      return contentWith(textOf(of.text), { payload: textOf(of.payload) ?? '' });
    case 'interactive':
      return pressed(of, textOf(objectOf(message.context).id));
    case 'reaction':
      return reacted(of, id);
    case 'location':
      return contentWith(placeOf(of));
    case 'contacts':
      return contentWith(peopleOf(objectsOf(message.contacts)));
    default:
      return undefined;
  }
}

/** The value of our own buttons and rows is `id:value`; below which message they stand says the context. */
function pressed(interactive: JsonObject, messageId: string | undefined): Content | undefined {
  const reply = { ...objectOf(interactive.button_reply), ...objectOf(interactive.list_reply) };
  const data = textOf(reply.id);
  if (data === undefined) return undefined;
  const action = readActionData(data);
  const label = textOf(reply.title);
  return {
    event_type: 'action',
    message: action.value,
    metadata: {
      action: { ...action, ...(messageId !== undefined && { message_id: messageId }) },
      ...(label !== undefined && { label }),
    },
  };
}

/** Without an emoji it was taken back. */
function reacted({ emoji, message_id: of }: JsonObject, id: string): Content | undefined {
  const shown = textOf(emoji);
  if (shown === undefined) return undefined;
  return { event_type: 'reaction_added', message: shown, metadata: { message_id: textOf(of) ?? id } };
}

function placeOf({ name, address, latitude, longitude }: JsonObject): string | undefined {
  const at = [textOf(latitude), textOf(longitude)];
  if (at.includes(undefined)) return undefined;
  return ['Location:', textOf(name), textOf(address), `${at.join(', ')}`]
    .filter((part) => part !== undefined)
    .join(' ');
}

function peopleOf(contacts: JsonObject[]): string | undefined {
  const people = contacts.map(({ name, phones }) => {
    const numbers = objectsOf(phones).flatMap(({ phone }) => textOf(phone) ?? []);
    return [textOf(objectOf(name).formatted_name) ?? '?', ...numbers].join(', ');
  });
  return people.length === 0 ? undefined : `Contacts: ${people.join('; ')}`;
}

function attachmentOf({ id, mime_type, filename }: JsonObject, type: string): MessageAttachment | undefined {
  const ref = textOf(id);
  if (ref === undefined) return undefined;
  const contentType = textOf(mime_type);
  return {
    id: ref,
    name: textOf(filename) ?? type,
    fetch_ref: ref,
    ...(contentType !== undefined && { content_type: contentType }),
  };
}

/** Unix seconds, as text, as RFC 3339. */
export function timeOf(seconds: unknown): string | undefined {
  const text = textOf(seconds);
  return text !== undefined && /^\d{1,11}$/.test(text) ? new Date(Number(text) * 1000).toISOString() : undefined;
}
