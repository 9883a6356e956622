import {
  attachedFiles,
  type DeliverCall,
  deliverFailure,
  type DeliverFailure,
  deliverParts,
  deliverReaction,
  type DeliverResponse,
  type Reaction,
  dialectParts,
} from '#libs/adapter-sdk';
import { callDiscord, type DiscordSettings } from './discord-api.js';
import { DISCORD_MAX_LENGTH } from './discord.manifest.js';
import { discordDialect } from './discord-dialect.js';
import { openInteraction } from './interaction-token.js';
import { sendPart } from './send-part.js';

const ID = /^\d{5,20}$/;

/** Sends the message, or changes the one that it is an edit of, and adds its reaction. */
export async function deliverMessage(call: DeliverCall, settings: DiscordSettings): Promise<DeliverResponse> {
  const { message, channel_address } = call;
  if (!ID.test(channel_address))
    return deliverFailure('invalid_request', 'channel_address must be the id of a channel');
  for (const field of ['edit_of', 'reaction_to'] as const) {
    if (message[field] !== undefined && !ID.test(message[field])) {
      return deliverFailure('invalid_request', `message.${field} must be the id of a message`);
    }
  }
  return deliverReaction(
    call,
    () => sendMessage(call, settings),
    (reaction) => react(call, reaction, settings),
  );
}

/** A long text goes in parts, and each file as a part after them. */
async function sendMessage(call: DeliverCall, settings: DiscordSettings): Promise<DeliverResponse> {
  const { message } = call;
  const files = attachedFiles(call);
  if ('ok' in files) return files;
  const isEmpty = message.text.trim() === '';
  if (isEmpty && files.length === 0) return deliverFailure('invalid_request', 'message.text is empty');
  const texts = isEmpty ? [] : dialectParts(message, discordDialect, DISCORD_MAX_LENGTH);
  if (texts.length === 0 && files.length === 0) {
    return deliverFailure('invalid_request', 'message.text has no visible text');
  }
  const parts = [...texts, ...files.map(({ name }) => name)];
  const interaction = message.edit_of === undefined ? openInteraction(message.reply_context, Date.now()) : undefined;
  return deliverParts(call, parts, (part) => {
    const file = files[part.index - texts.length];
    const isLast = part.index === texts.length - 1;
    return sendPart(call, { ...part, isLast, file, interaction }, settings);
  });
}

async function react(
  { credentials, channel_address }: DeliverCall,
  { messageId, emoji }: Reaction,
  settings: DiscordSettings,
): Promise<{ ok: true } | DeliverFailure> {
  // One of a server's own is `name:id`.
  const name = encodeURIComponent(emoji.replaceAll(/^:|:$/g, ''));
  const path = `/channels/${channel_address}/messages/${messageId}/reactions/${name}/@me`;
  const answer = await callDiscord(path, { method: 'PUT' }, credentials, settings);
  return answer.ok ? { ok: true } : answer;
}
