import {
  attachedFiles,
  type Credentials,
  type DeliverCall,
  deliverFailure,
  type DeliverFailure,
  deliverParts,
  deliverReaction,
  type DeliverResponse,
  dialectParts,
  type LookupCall,
  type LookupResult,
  ProviderUnavailable,
  type Reaction,
  type SentPart,
} from '#libs/adapter-sdk';
import { objectOf, textOf } from '../provider-calls/json-fields.js';
import { commentId, isUuid } from './comment-id.js';
import { callLinear, type LinearSettings } from './linear-api.js';
import { escaped, linearDialect } from './linear-dialect.js';
import { LINEAR_MAX_LENGTH } from './linear.manifest.js';
import { uploadFile } from './upload-file.js';

const IDENTIFIER = /^[A-Z][A-Z0-9]{0,9}-\d{1,9}$/;

/** Comments on an issue, in the thread of a comment if there is one, or changes a comment; then it may react to one. */
export async function deliverMessage(call: DeliverCall, settings: LinearSettings): Promise<DeliverResponse> {
  const { message, channel_address: issueId } = call;
  if (!isUuid(issueId) && !IDENTIFIER.test(issueId)) {
    return deliverFailure('invalid_request', 'channel_address must be the id of an issue, or its identifier (ENG-12)');
  }
  for (const [field, id] of [
    ['thread_id', message.thread_id],
    ['edit_of', message.edit_of],
    ['reaction_to', message.reaction_to],
  ] as const) {
    if (id !== undefined && !isUuid(id)) {
      return deliverFailure('invalid_request', `message.${field} must be the id of a comment`);
    }
  }
  return deliverReaction(
    call,
    () => sendMessage(call, settings),
    (reaction) => react(call, reaction, settings),
  );
}

/** A long text goes in parts. Files stand below the last one. */
async function sendMessage(call: DeliverCall, settings: LinearSettings): Promise<DeliverResponse> {
  const { message, channel_address: issueId, credentials } = call;
  const files = attachedFiles(call);
  if ('ok' in files) return files;
  const isEmpty = message.text.trim() === '';
  if (isEmpty && files.length === 0) return deliverFailure('invalid_request', 'message.text is empty');
  // Escaped, a plain text may be twice as long.
  const limit = message.format === 'plain' ? LINEAR_MAX_LENGTH / 2 : LINEAR_MAX_LENGTH;
  const bodies = isEmpty ? [] : dialectParts(message, linearDialect, limit, escaped);
  if (bodies.length === 0 && files.length === 0) {
    return deliverFailure('invalid_request', 'message.text has no visible text');
  }
  const shown: string[] = [];
  for (const file of files) {
    const uploaded = await uploadFile(file, credentials, settings);
    if (!uploaded.ok) return uploaded;
    shown.push(uploaded.markdown);
  }
  if (shown.length > 0) bodies.push([bodies.pop(), ...shown].filter((each) => each !== undefined).join('\n\n'));
  return deliverParts(call, bodies, ({ text: body, index, count, key, threadId: parentId }) => {
    const edited = index === 0 ? message.edit_of : undefined;
    if (edited !== undefined) return change(edited, body, credentials, settings);
    const id = commentId(key, index === count - 1 ? 'last' : index);
    return comment({ id, issueId, body, ...(parentId !== undefined && { parentId }) }, credentials, settings);
  });
}

/** The same reaction once more is none. */
async function react(
  { credentials, channel_address: issueId }: DeliverCall,
  { messageId, emoji }: Reaction,
  settings: LinearSettings,
): Promise<{ ok: true } | DeliverFailure> {
  const query = 'mutation ReactionCreate($input: ReactionCreateInput!) { reactionCreate(input: $input) { success } }';
  const of = messageId === issueId ? { issueId } : { commentId: messageId };
  const input = { ...of, emoji: emoji.replaceAll(/^:|:$/g, '') };
  const answer = await callLinear({ name: 'ReactionCreate', query, variables: { input } }, credentials, settings);
  return answer.ok ? { ok: true } : answer;
}

/** @throws ProviderUnavailable when Linear cannot be asked: "not found" would send it again */
export async function findDelivery(call: LookupCall, settings: LinearSettings): Promise<LookupResult> {
  const id = commentId(call.idempotency_key, 'last');
  const found = await exists(id, call.credentials, settings);
  if (typeof found === 'boolean') return found ? { found, message_id: id } : { found };
  throw new ProviderUnavailable(`Linear did not give the comment: ${found.error}`, found.error_detail?.retry_after);
}

async function comment(
  input: { id: string; issueId: string; body: string; parentId?: string },
  credentials: Credentials,
  settings: LinearSettings,
): Promise<SentPart | DeliverFailure> {
  const query =
    'mutation CommentCreate($input: CommentCreateInput!) { commentCreate(input: $input) { success comment { id } } }';
  const answer = await callLinear({ name: 'CommentCreate', query, variables: { input } }, credentials, settings);
  const threadId = input.parentId ?? input.id;
  if (answer.ok) {
    const id = textOf(objectOf(objectOf(answer.data.commentCreate).comment).id);
    return id === undefined ? withoutId() : { messageId: id, threadId: input.parentId ?? id };
  }
  // An earlier attempt whose answer was lost may have made it: then Linear refuses the id.
  const isThere = answer.error === 'invalid_request' && (await exists(input.id, credentials, settings)) === true;
  return isThere ? { messageId: input.id, threadId } : answer;
}

async function change(
  id: string,
  body: string,
  credentials: Credentials,
  settings: LinearSettings,
): Promise<SentPart | DeliverFailure> {
  const query =
    'mutation CommentUpdate($id: String!, $input: CommentUpdateInput!) { commentUpdate(id: $id, input: $input) { success } }';
  const variables = { id, input: { body } };
  const answer = await callLinear({ name: 'CommentUpdate', query, variables }, credentials, settings);
  return answer.ok ? { messageId: id, threadId: undefined } : answer;
}

async function exists(
  id: string,
  credentials: Credentials,
  settings: LinearSettings,
): Promise<boolean | DeliverFailure> {
  const query = 'query CommentById($id: String!) { comment(id: $id) { id } }';
  const answer = await callLinear({ name: 'CommentById', query, variables: { id } }, credentials, settings);
  if (answer.ok) return objectOf(answer.data.comment).id === id;
  return answer.error === 'not_found' ? false : answer;
}

function withoutId(): DeliverFailure {
  return deliverFailure('provider_unavailable', 'Linear answered without the id of the comment');
}
