import {
  type Credentials,
  type DeliverCall,
  deliverFailure,
  type DeliverFailure,
  deliverParts,
  type DeliverResponse,
  dialectParts,
  type LookupCall,
  type LookupResult,
  ProviderUnavailable,
  type SentPart,
} from '#libs/adapter-sdk';
import { objectOf, textOf } from '../provider-calls/json-fields.js';
import { commentId, isUuid } from './comment-id.js';
import { callLinear, type LinearSettings } from './linear-api.js';
import { escaped, linearDialect } from './linear-dialect.js';
import { LINEAR_MAX_LENGTH } from './linear.manifest.js';

const IDENTIFIER = /^[A-Z][A-Z0-9]{0,9}-\d{1,9}$/;

/** Comments on an issue, in the thread of a comment if there is one, or changes a comment. */
export async function deliverMessage(call: DeliverCall, settings: LinearSettings): Promise<DeliverResponse> {
  const { message, channel_address: issueId, credentials } = call;
  const { thread_id: thread, edit_of: edited } = message;
  if (message.text.trim() === '') return deliverFailure('invalid_request', 'message.text is empty');
  if (message.attachments?.length) return deliverFailure('unsupported', 'attachments cannot be sent');
  if (!isUuid(issueId) && !IDENTIFIER.test(issueId)) {
    return deliverFailure('invalid_request', 'channel_address must be the id of an issue, or its identifier (ENG-12)');
  }
  for (const [field, id] of [
    ['thread_id', thread],
    ['edit_of', edited],
  ] as const) {
    if (id !== undefined && !isUuid(id)) {
      return deliverFailure('invalid_request', `message.${field} must be the id of a comment`);
    }
  }
  // Escaped, a plain text may be twice as long.
  const limit = message.format === 'plain' ? LINEAR_MAX_LENGTH / 2 : LINEAR_MAX_LENGTH;
  const bodies = dialectParts(message, linearDialect, limit, escaped);
  if (bodies.length === 0) return deliverFailure('invalid_request', 'message.text has no visible text');
  return deliverParts(call, bodies, ({ text: body, index, count, key, threadId: parentId }) => {
    if (edited !== undefined && index === 0) return change(edited, body, credentials, settings);
    const id = commentId(key, index === count - 1 ? 'last' : index);
    return comment({ id, issueId, body, ...(parentId !== undefined && { parentId }) }, credentials, settings);
  });
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
