import { createHash } from 'node:crypto';
import type { Credentials } from '#libs/adapter-sdk';
import { objectOf, textOf } from '../provider-calls/json-fields.js';
import { Remembered } from '../provider-calls/remembered.js';
import { callSlack, type SlackSettings } from './slack-api.js';

const KEEP_MS = 3_600_000;
/** For ids without a name, and for a method that the token may not call. */
const KEEP_FAILURE_MS = 600_000;
const MAX_NAMES = 10_000;
/** Look-ups for one message. */
const MAX_LOOK_UPS = 20;
const MAX_NAME_CHARS = 80;

/** Failures that every other id would meet too. */
const OF_METHOD: string[] = ['auth_failed', 'permission_denied', 'rate_limited', 'timeout', 'provider_unavailable'];

/** Empty: it has no name, or none that the token may see. */
const remembered = new Remembered<string>(MAX_NAMES);
const refusedMethods = new Remembered<true>(1_000);

/** The names of people and channels, as far as Slack gives them in time; each is asked for once an hour. */
export async function namesOf(
  ids: readonly string[],
  credentials: Credentials,
  settings: SlackSettings,
): Promise<Map<string, string>> {
  const whose = keyOf(credentials, settings);
  const unknown = ids.filter((id) => remembered.get(`${whose}:${id}`) === undefined).slice(0, MAX_LOOK_UPS);
  await Promise.all(unknown.map((id) => lookUp(id, whose, credentials, settings)));
  const known = ids.map((id) => [id, remembered.get(`${whose}:${id}`) ?? ''] as const);
  return new Map(known.filter(([, name]) => name !== ''));
}

async function lookUp(id: string, whose: string, credentials: Credentials, settings: SlackSettings): Promise<void> {
  const isPerson = /^[UW]/.test(id);
  const method = isPerson ? 'users.info' : 'conversations.info';
  if (refusedMethods.get(`${whose}:${method}`)) return;
  const form: Record<string, string> = isPerson ? { user: id } : { channel: id };
  const answer = await callSlack(method, { form }, credentials, settings);
  if (answer.ok) {
    const name = isPerson ? personName(answer.fields.user) : textOf(objectOf(answer.fields.channel).name);
    return remembered.set(`${whose}:${id}`, clean(name ?? ''), name === undefined ? KEEP_FAILURE_MS : KEEP_MS);
  }
  const isOfMethod = OF_METHOD.includes(answer.error);
  if (!isOfMethod) remembered.set(`${whose}:${id}`, '', KEEP_FAILURE_MS);
  else refusedMethods.set(`${whose}:${method}`, true, waitAfter(answer.error, answer.error_detail?.retry_after));
}

/** A busy or slow Slack is asked again soon; a missing scope is set by a person. */
function waitAfter(error: string, retryAfter: number | undefined): number {
  if (retryAfter !== undefined) return retryAfter * 1_000;
  return error === 'timeout' || error === 'provider_unavailable' ? 10_000 : KEEP_FAILURE_MS;
}

/** The name that people see, as Slack itself chooses it. */
function personName(user: unknown): string | undefined {
  const { profile, real_name, name } = objectOf(user);
  const { display_name, real_name: profileName } = objectOf(profile);
  return textOf(display_name) ?? textOf(real_name) ?? textOf(profileName) ?? textOf(name);
}

function clean(name: string): string {
  return name
    .replaceAll(/[\s<>|]+/g, ' ')
    .trim()
    .slice(0, MAX_NAME_CHARS)
    .toWellFormed();
}

/** The names of one workspace are never given to another one: the key is the token's. */
function keyOf({ token, access_token }: Credentials, { apiUrl }: SlackSettings): string {
  const parts = [apiUrl, textOf(token) ?? textOf(access_token) ?? ''];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
