import {
  type ContextMessage,
  contextFields,
  ignoredMessage,
  type InboundCall,
  isJsonObject,
  type JsonObject,
  type MessageMetadata,
  type NormalizedMessage,
  parseJson,
  type Self,
} from '#libs/adapter-sdk';
import { objectOf, textOf } from '../provider-calls/json-fields.js';

/** A data change event. Source: https://linear.app/developers/webhooks */
export function parseLinearInbound({ request, self }: InboundCall): NormalizedMessage {
  const given = parseJson(request.text);
  const payload = isJsonObject(given) ? given : {};
  const [type, action] = [textOf(payload.type) ?? 'unknown', textOf(payload.action) ?? ''];
  const data = objectOf(payload.data);
  const described = describe(payload, data, self);
  const parsed = type === 'Comment' ? comment(action, payload, data, described) : undefined;
  const event = parsed ?? (type === 'Issue' && action === 'create' ? opened(data, described) : undefined);
  return event ?? { ...ignoredMessage('unknown_event', described.metadata), is_bot: described.is_bot };
}

type Described = Pick<NormalizedMessage, 'sender' | 'is_bot' | 'is_dm'> & { metadata: MessageMetadata };

/** Who did it, and what was written by whom: somebody else may change a comment of the agent. */
function describe(payload: JsonObject, data: JsonObject, self: Self | undefined): Described {
  const actor = objectOf(payload.actor);
  const author = objectOf(data.user ?? data.creator ?? data.externalUser);
  const authorId = textOf(data.userId) ?? textOf(data.creatorId) ?? textOf(author.id);
  const sender = textOf(actor.id) ?? authorId;
  const name = textOf(actor.name) ?? textOf(author.name);
  const isSelf = self?.id !== undefined && [sender, authorId].includes(self.id);
  const isBot = ![undefined, 'user'].includes(textOf(actor.type)?.toLowerCase());
  const [account, url, id] = [textOf(payload.organizationId), textOf(payload.url), textOf(data.id)];
  const timestamp = textOf(payload.createdAt);
  return {
    sender: sender ?? 'unknown',
    is_bot: isSelf,
    is_dm: false,
    metadata: {
      is_self: isSelf,
      raw_type: [textOf(payload.type), textOf(payload.action)].join('.'),
      ...(isBot && !isSelf && { from_bot: true }),
      ...(account !== undefined && { account }),
      ...(url !== undefined && { url }),
      ...(id !== undefined && { message_id: id }),
      ...(timestamp !== undefined && { timestamp }),
      mentions_bot: mentions(textOf(data.body) ?? textOf(data.description) ?? '', self),
      sender: { ...(sender !== undefined && { id: sender }), ...(name !== undefined && { name }) },
    },
  };
}

/** An issue with its first text. Its conversation begins with the comment that answers it. */
function opened(issue: JsonObject, described: Described): NormalizedMessage | undefined {
  const [id, identifier, title] = [issue.id, issue.identifier, issue.title].map(textOf);
  if (id === undefined) return undefined;
  const text = [title, textOf(issue.description)].filter((part) => part !== undefined).join('\n\n');
  return {
    ...described,
    event_type: 'issue_opened',
    message: text,
    dedup_key: `linear:issue:${id}`,
    metadata: {
      ...described.metadata,
      channel_address: id,
      ...(identifier !== undefined && { identifier }),
      ...(title !== undefined && { title }),
    },
  };
}

/** Of an issue; one on a project or a document has no address that an answer could go to. */
function comment(
  action: string,
  payload: JsonObject,
  data: JsonObject,
  described: Described,
): NormalizedMessage | undefined {
  const id = textOf(data.id);
  if (id === undefined) return undefined;
  const issue = objectOf(data.issue);
  const [identifier, title] = [textOf(issue.identifier), textOf(issue.title)];
  const common = {
    ...described,
    thread_id: textOf(data.parentId) ?? id,
    metadata: {
      ...described.metadata,
      channel_address: textOf(data.issueId) ?? textOf(issue.id) ?? null,
      ...(identifier !== undefined && { identifier }),
      ...(title !== undefined && { title }),
    },
  };
  const [message, key] = [textOf(data.body) ?? '', `linear:comment:${id}`];
  if (action === 'remove') {
    return { ...common, event_type: 'message_deleted', message: '', dedup_key: `${key}:deleted` };
  }
  if (action === 'update') {
    // The same event comes for reactions, and when a thread is resolved.
    const isEdit = Object.hasOwn(objectOf(payload.updatedFrom), 'body');
    const at = textOf(data.editedAt) ?? textOf(data.updatedAt) ?? '-';
    return isEdit ? { ...common, event_type: 'message_edited', message, dedup_key: `${key}:edited:${at}` } : undefined;
  }
  if (action !== 'create') return undefined;
  return {
    ...common,
    event_type: 'issue_comment',
    message,
    dedup_key: key,
    metadata: { ...common.metadata, ...contextFields(above(issue, data)) },
  };
}

/** The title of the issue, and the comment that is answered. */
function above(issue: JsonObject, { parent }: JsonObject): ContextMessage[] {
  const [title, answered] = [textOf(issue.title), objectOf(parent)];
  const [id, text, author] = [answered.id, answered.body, answered.userId].map(textOf);
  return [
    ...(title === undefined ? [] : [{ kind: 'subject' as const, message: title }]),
    ...(text === undefined
      ? []
      : [
          {
            kind: 'thread' as const,
            message: text,
            ...(id !== undefined && { message_id: id }),
            ...(author !== undefined && { sender: { id: author } }),
          },
        ]),
  ];
}

/** Linear writes a mention as `@name`, or as a link to the profile. */
function mentions(text: string, self: Self | undefined): boolean {
  const name = textOf(self?.username)?.toLowerCase();
  if (name === undefined) return false;
  const words = text.toLowerCase().split(/[^\p{L}\p{N}@._/-]+/u);
  const names = words.map((word) => word.replace(/[./-]+$/, ''));
  return names.some((word) => word === `@${name}` || word.endsWith(`/profiles/${name}`));
}
