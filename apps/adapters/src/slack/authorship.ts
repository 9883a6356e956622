import type { JsonObject, Self } from '#libs/adapter-sdk';
import { objectOf, objectsOf, textOf } from '../provider-calls/json-fields.js';

/** The context for parsing any event. */
export interface EventContext {
  envelope: JsonObject;
  event: JsonObject;
  team: string;
  channel: string;
  /** A direct message with one person. */
  isDm: boolean;
  self: Self | undefined;
  /** The event's own name, as `message.channel_join`. */
  rawType: string;
}

/** The bot user: the one that `/verify` found, else the one that the event was sent to. */
export function botUserId(envelope: JsonObject, self: Self | undefined): string | undefined {
  const authorization = objectsOf(envelope.authorizations).find((entry) => entry.is_bot === true);
  return self?.id ?? textOf(authorization?.user_id);
}

/**
 * Whether this app wrote the message. `message` has the author: the event itself, or `event.message` of an edit. The
 * app's id counts too, so that posts of the app under another name are recognised.
 */
export function isOwnMessage(message: JsonObject, envelope: JsonObject, self: Self | undefined): boolean {
  const author = textOf(message.user);
  if (author !== undefined && author === botUserId(envelope, self)) return true;
  const bot = textOf(message.bot_id);
  if (bot !== undefined && bot === self?.bot_id) return true;
  const app = textOf(envelope.api_app_id);
  return app !== undefined && [textOf(message.app_id), textOf(objectOf(message.bot_profile).app_id)].includes(app);
}

/** Whether any bot wrote it (contract 4.2): it has a `bot_id`, or is a null-user message of an old webhook. */
export function isBotMessage(message: JsonObject): boolean {
  return textOf(message.bot_id) !== undefined || message.subtype === 'bot_message';
}
