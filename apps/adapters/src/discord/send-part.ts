import { createHash } from 'node:crypto';
import {
  actionData,
  type AttachedFile,
  type DeliverCall,
  type DeliverFailure,
  deliverFailure,
  type JsonObject,
  type MessageAction,
  type PartToSend,
  type SentPart,
} from '#libs/adapter-sdk';
import { objectOf, textOf } from '../provider-calls/json-fields.js';
import {
  callDiscord,
  callInteraction,
  type DiscordAnswer,
  type DiscordRequest,
  type DiscordSettings,
} from './discord-api.js';
import type { Interaction } from './interaction-token.js';

/** Of a message that Discord shows while the app thinks. */
const LOADING = 1 << 7;
const SUPPRESS_EMBEDS = 1 << 2;
const STYLES = { primary: 1, default: 2, danger: 4 } as const;

interface Part extends PartToSend {
  isLast: boolean;
  file: AttachedFile | undefined;
  /** It is answered, while Discord takes answers to it. */
  interaction: Interaction | undefined;
}

/** Sends one part: as the answer of an interaction while that is possible, else as a message of the bot. */
export async function sendPart(
  call: DeliverCall,
  part: Part,
  settings: DiscordSettings,
): Promise<SentPart | DeliverFailure> {
  const { credentials, channel_address: channel, message } = call;
  const edited = part.index === 0 ? message.edit_of : undefined;
  if (edited !== undefined) {
    const request = requestOf(call, part, 'PATCH');
    return sent(await callDiscord(`/channels/${channel}/messages/${edited}`, request, credentials, settings));
  }
  if (part.interaction) {
    const answer = await answerInteraction(call, part, part.interaction, settings);
    // The token has ended early, or the message that was thinking is deleted: the channel is still there.
    if (answer.ok || answer.error !== 'not_found') return sent(answer);
  }
  return sent(await callDiscord(`/channels/${channel}/messages`, requestOf(call, part), credentials, settings));
}

/** The first answer takes the place of the message that says that the app thinks; any later one is its own message. */
async function answerInteraction(
  call: DeliverCall,
  part: Part,
  { application, token }: Interaction,
  settings: DiscordSettings,
): Promise<DiscordAnswer> {
  const base = `/webhooks/${application}/${token}`;
  const original = `${base}/messages/@original`;
  if (part.index === 0) {
    const shown = await callInteraction(original, { method: 'GET' }, settings);
    if (!shown.ok) return shown;
    const isThinking = (Number(shown.fields.flags) & LOADING) !== 0;
    if (isThinking) return callInteraction(original, requestOf(call, part, 'PATCH'), settings);
  }
  return callInteraction(`${base}?wait=true`, requestOf(call, part), settings);
}

function requestOf({ message }: DeliverCall, part: Part, method: 'POST' | 'PATCH' = 'POST'): DiscordRequest {
  const { text, index, key, isLast, file, interaction } = part;
  const actions = isLast ? (message.actions ?? []) : [];
  const json = {
    ...(file ? {} : { content: text }),
    // Nobody is called by what a model wrote.
    allowed_mentions: { parse: [] },
    ...(index === 0 && method === 'POST' && !interaction && answerTo(message.reply_context)),
    ...((actions.length > 0 || method === 'PATCH') && { components: componentsOf(actions) }),
    ...(method === 'POST' && {
      // A preview would make Discord fetch a URL that a model wrote.
      flags: SUPPRESS_EMBEDS,
      nonce: createHash('sha256').update(`${key}:${index}`).digest('hex').slice(0, 25),
      enforce_nonce: true,
    }),
  };
  if (!file) return { method, json };
  return {
    method,
    multipart: { fields: { payload_json: JSON.stringify(json) }, file: { ...file, field: 'files[0]' } },
  };
}

/** It stands below the message that it answers, if that is still there. */
function answerTo(replyContext: unknown): JsonObject {
  const id = textOf(objectOf(replyContext).message_id);
  const isMessage = id !== undefined && /^\d{5,20}$/.test(id);
  return isMessage ? { message_reference: { message_id: id, fail_if_not_exists: false } } : {};
}

/** One row has five buttons. An edit without any takes them away. */
function componentsOf(actions: readonly MessageAction[]): JsonObject[] {
  if (actions.length === 0) return [];
  const components = actions.map((action) => ({
    type: 2,
    style: STYLES[action.style ?? 'default'],
    label: action.label,
    custom_id: actionData(action),
  }));
  return [{ type: 1, components }];
}

function sent(answer: DiscordAnswer): SentPart | DeliverFailure {
  if (!answer.ok) return answer;
  const id = textOf(answer.fields.id);
  return id === undefined
    ? deliverFailure('provider_unavailable', 'Discord answered without the id of the message')
    : { messageId: id, threadId: undefined };
}
