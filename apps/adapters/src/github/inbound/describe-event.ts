import type { JsonObject, MessageMetadata, NormalizedMessage, Self } from '#libs/adapter-sdk';
import { objectOf, textOf } from '../../provider-calls/json-fields.js';
import { carriesMark } from '../delivery-mark.js';

/** The context for parsing any event. */
export interface EventContext {
  payload: JsonObject;
  action: string;
  self: Self | undefined;
  /** The event's own name, as `issues.opened`. */
  rawType: string;
}

/**
 * The fields that all events have in common. `content` is the text that was written: its author counts for `is_bot` as
 * well as the sender, since somebody else may edit a comment. Another bot's event is passed on like a person's, with
 * `from_bot`: contract 4.2 drops what any bot wrote for some kinds of providers only, and GitHub is none of them.
 */
export function describeEvent(
  { payload, self, rawType }: EventContext,
  { content, number }: { content?: JsonObject; number?: unknown },
): Pick<NormalizedMessage, 'sender' | 'is_bot' | 'is_dm'> & {
  metadata: MessageMetadata & { channel_address?: string };
} {
  const sender = objectOf(payload.sender);
  const people = content ? [sender, objectOf(content.user)] : [sender];
  const body = textOf(content?.body) ?? '';
  const isSelf = people.some((person) => isSamePerson(person, self)) || carriesMark(body) || isOwnApp(content, self);
  const login = textOf(sender.login);
  const id = textOf(sender.id);
  const address = issueAddress(payload, number);
  const repository = textOf(objectOf(payload.repository).full_name);
  const timestamp = textOf(content?.updated_at) ?? textOf(content?.submitted_at) ?? textOf(content?.created_at);
  const messageId = textOf(content?.node_id) ?? textOf(content?.id);
  const url = textOf(content?.html_url);
  const account = accountOf(payload);
  const username = self?.username;
  return {
    sender: login ?? 'unknown',
    is_bot: isSelf,
    is_dm: false,
    metadata: {
      is_self: isSelf,
      from_bot: people.some(isBot),
      mentions_bot: typeof username === 'string' && username !== '' && mentions(body, username),
      raw_type: rawType,
      ...(account !== undefined && { account }),
      ...(address !== undefined && { channel_address: address }),
      ...(repository !== undefined && { repository }),
      ...(messageId !== undefined && { message_id: messageId }),
      ...(timestamp !== undefined && { timestamp }),
      ...(url !== undefined && { url }),
      ...(login !== undefined && { sender: { name: login, is_bot: isBot(sender), ...(id !== undefined && { id }) } }),
    },
  };
}

/** `owner/repository#12`; undefined for an event that belongs to no issue. */
export function issueAddress(payload: JsonObject, number: unknown): string | undefined {
  const [name, digits] = [textOf(objectOf(payload.repository).full_name), textOf(number)];
  return name === undefined || digits === undefined ? undefined : `${name}#${digits}`;
}

/** `github:<kind>:<node id>`; payloads of old servers have no node id. */
export function contentKey(kind: string, content: JsonObject, ...rest: (string | undefined)[]): string | undefined {
  const id = textOf(content.node_id) ?? textOf(content.id);
  return id === undefined ? undefined : ['github', kind, id, ...rest.filter((part) => part !== undefined)].join(':');
}

/** The installation of a GitHub App, else the organization or the owner that sent the webhook. */
function accountOf(payload: JsonObject): string | undefined {
  const owner = objectOf(objectOf(payload.repository).owner);
  return (
    textOf(objectOf(payload.installation).id) ?? textOf(objectOf(payload.organization).login) ?? textOf(owner.login)
  );
}

function isBot(person: JsonObject): boolean {
  return person.type === 'Bot' || textOf(person.login)?.endsWith('[bot]') === true;
}

function isSamePerson(person: JsonObject, self: EventContext['self']): boolean {
  const [id, login] = [textOf(person.id), textOf(person.login)?.toLowerCase()];
  if (id !== undefined && self?.id !== undefined) return id === self.id;
  return login !== undefined && login === textOf(self?.username)?.toLowerCase();
}

/** Whether our app wrote it in the name of a person. */
function isOwnApp(content: JsonObject | undefined, self: EventContext['self']): boolean {
  const app = textOf(objectOf(content?.performed_via_github_app).id);
  return app !== undefined && app === textOf(self?.app_id);
}

/** An app is mentioned by its name without the `[bot]` suffix. */
function mentions(body: string, username: string): boolean {
  const name = username.replace(/\[bot\]$/, '').toLowerCase();
  const words = body.toLowerCase().split(/[^a-z0-9@_-]+/);
  return words.includes(`@${name}`);
}
