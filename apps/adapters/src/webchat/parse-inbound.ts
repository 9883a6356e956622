import {
  ignoredMessage,
  type InboundCall,
  isJsonObject,
  type JsonObject,
  type MessageAttachment,
  type NormalizedMessage,
  parseJson,
} from '#libs/adapter-sdk';
import { objectOf, textOf } from '../provider-calls/json-fields.js';

/** A visitor's address: what the site calls a known one, or the digest of an anonymous one's secret. */
export const visitorPattern = /^(?:user:\P{Cc}{1,200}|anon:[A-Za-z0-9_-]{1,64})$/u;

/** Ids of files, as pages choose them. */
const fileId = /^[A-Za-z0-9_-]{8,64}$/;
const maxFiles = 20;

/** What the gateway made of a visitor's message, or a site's server has signed. */
export function parseWebchatInbound({ request }: InboundCall): NormalizedMessage {
  const given = parseJson(request.text);
  const { id: messageId, text, action, visitor, files }: JsonObject = isJsonObject(given) ? given : {};
  const who = objectOf(visitor);
  const [id, sender] = [textOf(messageId), textOf(who.id)];
  if (id === undefined || sender === undefined || !visitorPattern.test(sender)) return ignoredMessage('unknown_event');
  const [name, email] = [textOf(who.name), textOf(who.email)];
  const common = {
    sender,
    is_bot: false,
    is_dm: true,
    dedup_key: `webchat:${sender}:${id}`,
  };
  const metadata = {
    channel_address: sender,
    message_id: id,
    // A mail from the visitor's address, in a thread that was sent there only.
    identity: who.signed === true ? 'signed' : who.by === 'mail' ? 'mail' : 'anonymous',
    sender: { id: sender, ...(name !== undefined && { name }), ...(email !== undefined && { email }) },
  };
  const chosen = objectOf(action);
  const [actionId, value] = [textOf(chosen.id), typeof chosen.value === 'string' ? chosen.value : undefined];
  if (actionId !== undefined && value !== undefined) {
    const of = textOf(chosen.message_id);
    const pressed = { id: actionId, value, ...(of !== undefined && { message_id: of }) };
    return { ...common, event_type: 'action', message: value, metadata: { ...metadata, action: pressed } };
  }
  const message = textOf(text) ?? '';
  const attachments = attachmentsOf(sender, files);
  if (message.trim() === '' && attachments.length === 0) return ignoredMessage('no_text', metadata);
  return {
    ...common,
    event_type: 'message_received',
    message,
    metadata: { ...metadata, ...(attachments.length > 0 && { attachments }) },
  };
}

/** Files of the sender's own conversation only: whoever is named, nobody else's can be fetched. */
function attachmentsOf(sender: string, files: unknown): MessageAttachment[] {
  return (Array.isArray(files) ? files : []).slice(0, maxFiles).flatMap((file: unknown) => {
    const { id, name, content_type, size }: JsonObject = objectOf(file);
    if (typeof id !== 'string' || !fileId.test(id)) return [];
    const [shownName, type] = [textOf(name), textOf(content_type)];
    return {
      id,
      ...(shownName !== undefined && { name: shownName }),
      ...(type !== undefined && { content_type: type }),
      ...(typeof size === 'number' && { size }),
      fetch_ref: `${sender}/${id}`,
    };
  });
}
