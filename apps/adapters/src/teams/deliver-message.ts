import {
  type DeliverCall,
  type DeliverFailure,
  deliverFailure,
  deliverParts,
  type DeliverResponse,
  type IndicateCall,
  type IndicateResult,
  isJsonObject,
  type JsonObject,
  type MessageAction,
  type PartToSend,
  type SentPart,
  dialectParts,
} from '#libs/adapter-sdk';
import { textOf } from '../provider-calls/json-fields.js';
import { activitiesPath, readConversation } from './conversation.js';
import { teamsDialect } from './teams-dialect.js';
import { callTeams, serviceOf, type TeamsSettings } from './teams-api.js';
import { TEAMS_MAX_LENGTH } from './teams.manifest.js';

const STYLES = { default: 'default', primary: 'positive', danger: 'destructive' } as const;

/** Sends the message, a long one in parts, or changes the one that it is an edit of. */
export async function deliverMessage(call: DeliverCall, settings: TeamsSettings): Promise<DeliverResponse> {
  const { message } = call;
  if (message.text.trim() === '') return deliverFailure('invalid_request', 'message.text is empty');
  if (message.attachments?.length) return deliverFailure('unsupported', 'attachments cannot be sent');
  if (message.edit_of !== undefined && !/^[\w:.-]{1,200}$/.test(message.edit_of)) {
    return deliverFailure('invalid_request', 'message.edit_of must be the id of an activity');
  }
  const context = isJsonObject(message.reply_context) ? message.reply_context : {};
  const url = activitiesUrl(call.channel_address, message.thread_id, textOf(context.service_url), settings);
  if (typeof url !== 'string') return url;
  const texts = dialectParts(message, teamsDialect, TEAMS_MAX_LENGTH);
  if (texts.length === 0) return deliverFailure('invalid_request', 'message.text has no visible text');
  return deliverParts(call, texts, (part) => sendPart(call, part, url, settings));
}

async function sendPart(
  { credentials, message }: DeliverCall,
  { text, index, count }: PartToSend,
  url: string,
  settings: TeamsSettings,
): Promise<SentPart | DeliverFailure> {
  const edited = index === 0 ? message.edit_of : undefined;
  const actions = index === count - 1 ? (message.actions ?? []) : [];
  const json = {
    type: 'message',
    text,
    textFormat: message.format === 'plain' ? 'plain' : 'markdown',
    ...((actions.length > 0 || edited !== undefined) && { attachments: cardsOf(actions) }),
  };
  const answer =
    edited === undefined
      ? await callTeams(url, { method: 'POST', json }, credentials, settings)
      : await callTeams(`${url}/${edited}`, { method: 'PUT', json: { ...json, id: edited } }, credentials, settings);
  if (!answer.ok) return answer;
  const id = textOf(answer.fields.id) ?? edited;
  return id === undefined
    ? deliverFailure('provider_unavailable', 'Teams answered without the id of the message')
    : { messageId: id, threadId: message.thread_id };
}

/** Shown for a few seconds, or until the message comes. */
export async function indicate(call: IndicateCall, settings: TeamsSettings): Promise<IndicateResult> {
  if (call.state === 'done') return { ok: true };
  const url = activitiesUrl(call.channel_address, call.thread_id, undefined, settings);
  if (typeof url !== 'string') return url;
  const answer = await callTeams(url, { method: 'POST', json: { type: 'typing' } }, call.credentials, settings);
  return answer.ok ? { ok: true } : answer;
}

function activitiesUrl(
  address: string,
  thread: string | undefined,
  serviceUrl: string | undefined,
  settings: TeamsSettings,
): string | DeliverFailure {
  const conversation = readConversation(address);
  if (!conversation) return deliverFailure('invalid_request', 'channel_address must be the id of a conversation');
  if (thread !== undefined && !/^\d{1,20}$/.test(thread)) {
    return deliverFailure('invalid_request', 'message.thread_id must be the id of the first message of a thread');
  }
  const service = serviceOf(serviceUrl, settings);
  if (service === undefined) return deliverFailure('invalid_request', 'service_url is no server of Microsoft Teams');
  return service + activitiesPath({ ...conversation, ...(thread !== undefined && { thread }) });
}

/** A card below the text. An edit without actions takes it away. */
function cardsOf(actions: readonly MessageAction[]): JsonObject[] {
  if (actions.length === 0) return [];
  const content = {
    type: 'AdaptiveCard',
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    version: '1.4',
    body: [],
    actions: actions.map(({ id, label, style, value }) => ({
      type: 'Action.Submit',
      title: label,
      style: STYLES[style ?? 'default'],
      data: { gatehouse: { id, value } },
    })),
  };
  return [{ contentType: 'application/vnd.microsoft.card.adaptive', content }];
}
