import {
  type AttachedFile,
  attachedFiles,
  type DeliverCall,
  deliverFailure,
  type DeliverFailure,
  deliverParts,
  deliverReaction,
  type DeliverResponse,
  isJsonObject,
  type JsonObject,
  parseJson,
  type PartToSend,
  type SentPart,
  dialectParts,
} from '#libs/adapter-sdk';
import { objectsOf, textOf } from '../provider-calls/json-fields.js';
import { ACTIONS_MAX_TEXT, interactiveOf } from './interactive.js';
import { whatsappDialect } from './whatsapp-dialect.js';
import { accountOf, callWhatsapp, type WhatsappSettings } from './whatsapp-api.js';
import { WHATSAPP_MAX_LENGTH } from './whatsapp.manifest.js';

/** A phone number with its country, as WhatsApp's `wa_id` has it. */
const ADDRESS = /^\+?\d{5,20}$/;

/** Sends the message, with the choices below its last part, and then its reaction. */
export async function deliverMessage(call: DeliverCall, settings: WhatsappSettings): Promise<DeliverResponse> {
  if (!ADDRESS.test(call.channel_address)) {
    return deliverFailure('invalid_request', 'channel_address must be a phone number with its country');
  }
  return deliverReaction(
    call,
    () => sendMessage(call, settings),
    async ({ messageId, emoji }) => {
      const sent = await send(call, { type: 'reaction', reaction: { message_id: messageId, emoji } }, settings);
      return 'ok' in sent ? sent : { ok: true };
    },
  );
}

/** A long text goes in parts, and each file as a part after them. */
async function sendMessage(call: DeliverCall, settings: WhatsappSettings): Promise<DeliverResponse> {
  const { message } = call;
  const files = attachedFiles(call);
  if ('ok' in files) return files;
  const isEmpty = message.text.trim() === '';
  if (isEmpty && files.length === 0) return deliverFailure('invalid_request', 'message.text is empty');
  const template = templateOf(message);
  if (template) return deliverParts(call, [message.text], () => send(call, template, settings));
  // Below a longer text WhatsApp shows no choices.
  const limit = message.actions ? ACTIONS_MAX_TEXT : WHATSAPP_MAX_LENGTH;
  const texts = isEmpty ? [] : dialectParts(message, whatsappDialect, limit);
  if (texts.length === 0 && files.length === 0) {
    return deliverFailure('invalid_request', 'message.text has no visible text');
  }
  const parts = [...texts, ...files.map(({ name }) => name)];
  return deliverParts(call, parts, (part) => {
    const file = files[part.index - texts.length];
    return file ? sendFile(call, file, settings) : send(call, contentOf(call, part, texts.length), settings);
  });
}

/** `native` is a template as Meta writes it: `{"template": {"name", "language": {"code"}, "components"}}`. */
function templateOf({ format, text }: DeliverCall['message']): JsonObject | undefined {
  const given = format === 'native' ? parseJson(text) : undefined;
  return isJsonObject(given) && isJsonObject(given.template)
    ? { type: 'template', template: given.template }
    : undefined;
}

function contentOf({ message }: DeliverCall, { text, index }: PartToSend, texts: number): JsonObject {
  const quoted = isJsonObject(message.reply_context) ? textOf(message.reply_context.message_id) : undefined;
  const content =
    message.actions && index === texts - 1
      ? { type: 'interactive', interactive: interactiveOf(text, message.actions) }
      : // A preview would make WhatsApp fetch a URL that a model wrote.
        { type: 'text', text: { body: text, preview_url: false } };
  return { ...content, ...(index === 0 && quoted !== undefined && { context: { message_id: quoted } }) };
}

async function sendFile(
  call: DeliverCall,
  file: AttachedFile,
  settings: WhatsappSettings,
): Promise<SentPart | DeliverFailure> {
  const account = accountOf(call.credentials);
  if ('ok' in account) return account;
  const multipart = {
    fields: { messaging_product: 'whatsapp', type: file.contentType },
    file: { ...file, field: 'file' },
  };
  const uploaded = await callWhatsapp(`${account.number}/media`, { multipart }, account.token, settings);
  if (!uploaded.ok) return uploaded;
  const id = textOf(uploaded.fields.id);
  const kind = kindOf(file.contentType);
  const media = { id, ...(kind === 'document' && { filename: file.name }) };
  return send(call, { type: kind, [kind]: media }, settings);
}

/** Other pictures and films than these are refused, or shown as nothing: they go as documents. */
function kindOf(contentType: string): 'image' | 'video' | 'audio' | 'document' {
  if (/^image\/(jpeg|png)$/i.test(contentType)) return 'image';
  if (/^video\/(mp4|3gpp)$/i.test(contentType)) return 'video';
  return /^audio\/(aac|mp4|mpeg|amr|ogg)$/i.test(contentType) ? 'audio' : 'document';
}

async function send(
  { credentials, channel_address, idempotency_key }: DeliverCall,
  content: JsonObject,
  settings: WhatsappSettings,
): Promise<SentPart | DeliverFailure> {
  const account = accountOf(credentials);
  if ('ok' in account) return account;
  const json = {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: channel_address.replace('+', ''),
    ...content,
    // Comes back with every status of the message.
    ...(idempotency_key !== undefined && { biz_opaque_callback_data: idempotency_key.slice(0, 512) }),
  };
  const answer = await callWhatsapp(`${account.number}/messages`, { json }, account.token, settings);
  if (!answer.ok) return answer;
  const messageId = textOf(objectsOf(answer.fields.messages)[0]?.id);
  return messageId === undefined
    ? deliverFailure('provider_unavailable', 'WhatsApp answered without the id of the message')
    : { messageId, threadId: undefined };
}
