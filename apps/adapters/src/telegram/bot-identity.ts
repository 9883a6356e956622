import type { Credentials, Self } from '#libs/adapter-sdk';
import { textOf } from '../provider-calls/json-fields.js';

const TOKEN = /^(\d{1,20}):[A-Za-z0-9_-]{1,200}$/;

/** The bot token, when it has the form of one: it becomes part of an address. */
export function botToken(credentials: Credentials): string | undefined {
  const token = textOf(credentials.token);
  return token !== undefined && TOKEN.test(token) ? token : undefined;
}

/** The bot's id, which is also the first half of its token. */
export function botId(credentials: Credentials, self: Self | undefined): string | undefined {
  return textOf(self?.id) ?? TOKEN.exec(textOf(credentials.token) ?? '')?.[1];
}
