import {
  type Credentials,
  ignoredMessage,
  type InboundCall,
  isJsonObject,
  type JsonObject,
  type NormalizedMessage,
  parseJson,
  stringifyJson,
} from '#libs/adapter-sdk';
import { heard } from '../hearing/hears.js';
import { objectOf, objectsOf, textOf } from '../provider-calls/json-fields.js';
import { attachedTo } from './attached.js';
import { readConversation } from './conversation.js';

type Content = Pick<NormalizedMessage, 'event_type' | 'message'> & { key: string; metadata?: JsonObject };

/** What of an activity is for the agent. */
export function parseTeamsInbound({ request, credentials }: InboundCall): NormalizedMessage {
  const given = parseJson(request.text);
  const activity = isJsonObject(given) ? given : {};
  return heard(parseActivity(activity, credentials), credentials, mentionsBot(activity));
}

/** An activity of Bot Framework. Source: Microsoft, Bot Framework Activity schema. */
function parseActivity(activity: JsonObject, credentials: Credentials): NormalizedMessage {
  const type = textOf(activity.type) ?? 'unknown';
  const from = objectOf(activity.from);
  const [id, sender] = [textOf(activity.id), textOf(from.id)];
  const conversation = readConversation(textOf(objectOf(activity.conversation).id) ?? '');
  if (sender === undefined || !conversation) return ignoredMessage('unknown_activity', { raw_type: type });
  const content = contentOf(type, activity, id ?? '');
  if (!content) return ignoredMessage('no_text', { raw_type: type });
  const self = `28:${textOf(credentials.app_id)?.trim()}`;
  const isSelf = sender === self;
  const isDm = objectOf(activity.conversation).conversationType === 'personal';
  const [serviceUrl, name] = [textOf(activity.serviceUrl), textOf(from.name)];
  const tenant =
    textOf(objectOf(activity.conversation).tenantId) ?? textOf(objectOf(objectOf(activity.channelData).tenant).id);
  const timestamp = Date.parse(textOf(activity.timestamp) ?? '');
  return {
    event_type: content.event_type,
    sender,
    message: content.message,
    is_bot: isSelf || from.role === 'bot',
    is_dm: isDm,
    dedup_key: `teams:${conversation.id}:${content.key}`,
    ...(conversation.thread !== undefined && { thread_id: conversation.thread }),
    metadata: {
      is_self: isSelf,
      raw_type: type,
      channel_address: conversation.id,
      sender: { id: sender, ...(name !== undefined && { name }) },
      ...(id !== undefined && { message_id: id }),
      ...(tenant !== undefined && { account: tenant }),
      ...(!Number.isNaN(timestamp) && { timestamp: new Date(timestamp).toISOString() }),
      ...(serviceUrl !== undefined && { reply_context: { service_url: serviceUrl } }),
      ...(textOf(from.aadObjectId) !== undefined && { aad_object_id: textOf(from.aadObjectId) }),
      ...content.metadata,
    },
  };
}

function contentOf(type: string, activity: JsonObject, id: string): Content | undefined {
  switch (type) {
    case 'message':
      return messageOf(activity, id);
    case 'messageUpdate':
      return edited(activity, id);
    case 'messageDelete':
      return { event_type: 'message_deleted', message: '', key: `${id}:deleted` };
    case 'messageReaction':
      return reacted(activity, id);
    case 'invoke':
      return pressed(objectOf(objectOf(objectOf(activity.value).action).data), activity, id);
    default:
      return undefined;
  }
}

function messageOf(activity: JsonObject, id: string): Content | undefined {
  const attached = attachedTo(activity);
  const text = [textWithoutBot(activity), attached.text].filter((part) => part !== '').join('\n\n');
  const mentioned = mentionsBot(activity);
  if (text === '' && attached.metadata.attachments === undefined) {
    const value = objectOf(activity.value);
    return Object.keys(value).length === 0 ? undefined : pressed(value, activity, id);
  }
  const isMention = mentioned && objectOf(activity.conversation).conversationType !== 'personal';
  return {
    event_type: isMention ? 'mention' : 'message_received',
    message: text,
    key: id,
    metadata: { ...attached.metadata, mentions_bot: mentioned },
  };
}

/** A message that was taken back comes as an update, too. */
function edited(activity: JsonObject, id: string): Content | undefined {
  const text = textWithoutBot(activity);
  if (text === '' || objectOf(activity.channelData).eventType === 'softDeleteMessage') return undefined;
  const at = textOf(activity.localTimestamp) ?? textOf(activity.timestamp) ?? '';
  return { event_type: 'message_edited', message: text, key: `${id}:edited:${at}` };
}

function reacted(activity: JsonObject, id: string): Content | undefined {
  const [added] = objectsOf(activity.reactionsAdded);
  const name = textOf(added?.type);
  if (name === undefined) return undefined;
  const of = textOf(activity.replyToId) ?? id;
  return { event_type: 'reaction_added', message: name, key: `${of}:reaction:${id}`, metadata: { message_id: of } };
}

/** A button of a card: our own has its action, any other one all that it submits. */
function pressed(data: JsonObject, activity: JsonObject, id: string): Content | undefined {
  const own = objectOf(data.gatehouse);
  const [action, value] = [textOf(own.id), typeof own.value === 'string' ? own.value : undefined];
  const messageId = textOf(activity.replyToId);
  if (action === undefined || value === undefined) {
    const all = stringifyJson(data);
    return all === undefined || all === '{}' ? undefined : { event_type: 'action', message: all, key: `${id}:action` };
  }
  return {
    event_type: 'action',
    message: value,
    key: `${id}:action`,
    metadata: { action: { id: action, value, ...(messageId !== undefined && { message_id: messageId }) } },
  };
}

/** The text, without the mention of the bot that people begin with. */
function textWithoutBot(activity: JsonObject): string {
  const bot = textOf(objectOf(activity.recipient).id);
  let text = typeof activity.text === 'string' ? activity.text : '';
  for (const { type, mentioned, text: written } of objectsOf(activity.entities)) {
    const shown = textOf(written);
    if (type !== 'mention' || shown === undefined) continue;
    const name = textOf(objectOf(mentioned).name) ?? '';
    text = text.replaceAll(shown, textOf(objectOf(mentioned).id) === bot ? '' : `@${name}`);
  }
  return text.replaceAll('&nbsp;', ' ').trim();
}

function mentionsBot(activity: JsonObject): boolean {
  const bot = textOf(objectOf(activity.recipient).id);
  return objectsOf(activity.entities).some(
    ({ type, mentioned }) => type === 'mention' && bot !== undefined && textOf(objectOf(mentioned).id) === bot,
  );
}
