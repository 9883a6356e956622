import {
  failureOfStatus,
  headerValue,
  isJsonObject,
  parseJson,
  secretList,
  signHmac,
  signStandardWebhooks,
  type Credentials,
  type DeliverFailure,
  type JsonObject,
  deliverFailure,
  lostCall,
} from '#libs/adapter-sdk';
import { EgressError, type Egress, type EgressErrorCode } from '#libs/egress';
import { ORIGIN_FIELD, ORIGIN_HEADER, originMarker } from './origin-marker.js';
import { SIGNATURE_HEADER } from './verify-webhook.js';

const REFUSED_ADDRESS: readonly EgressErrorCode[] = [
  'invalid_url',
  'invalid_request',
  'blocked_scheme',
  'blocked_address',
  'blocked_redirect',
];

/** The failure of a call that gave no answer: a blocked address, or a lost call. */
function failureOfCall(error: EgressError): DeliverFailure {
  return REFUSED_ADDRESS.includes(error.code)
    ? deliverFailure('invalid_request', `channel_address cannot be reached from here: ${error.code}`)
    : lostCall(error);
}

/** Only the id is read from an answer. */
const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_MESSAGE_ID_LENGTH = 512;

export interface OutgoingPart {
  address: string;
  credentials: Credentials;
  /** Also the `webhook-id` and the `Idempotency-Key`, so that a receiver recognises a repeated part by either. */
  key: string;
  payload: JsonObject;
  /** The platform's marker, if it gave one. */
  originMarker?: string | undefined;
}

/**
 * The receiver's id for the part (its `id` or `message_id`, else the part's own key) and its thread, or the failure.
 */
export async function postPart(
  part: OutgoingPart,
  http: { fetch: Egress['fetch']; timeoutMs: number },
): Promise<{ messageId: string; threadId: string | undefined } | DeliverFailure> {
  const marker = originMarker(part.credentials, part.originMarker);
  const body = JSON.stringify({ ...part.payload, idempotency_key: part.key, [ORIGIN_FIELD]: marker });
  try {
    const answer = await http.fetch(part.address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': part.key,
        [ORIGIN_HEADER]: marker,
        ...authorization(part.credentials),
        ...signatures(part.credentials, part.key, body),
      },
      body,
      timeoutMs: http.timeoutMs,
      maxResponseBytes: MAX_ANSWER_BYTES,
      maxRedirects: 0,
    });
    if (answer.status < 200 || answer.status >= 300) {
      return failureOfStatus(answer.status, headerValue(answer.headers, 'retry-after'));
    }
    return readAnswer(Buffer.from(answer.body).toString('utf8'), part.key);
  } catch (error) {
    if (error instanceof EgressError) return failureOfCall(error);
    throw error;
  }
}

function authorization(credentials: Credentials): Record<string, string> {
  const { token } = credentials;
  return typeof token === 'string' && token !== '' ? { authorization: `Bearer ${token}` } : {};
}

function signatures(credentials: Credentials, id: string, body: string): Record<string, string> {
  const secrets = secretList(credentials.signing_secret);
  const [current] = secrets;
  if (current === undefined) return {};
  return {
    [SIGNATURE_HEADER]: `sha256=${signHmac(current, body)}`,
    ...signStandardWebhooks({ secret: secrets, id, body }),
  };
}

function readAnswer(text: string, key: string): { messageId: string; threadId: string | undefined } {
  const answer = parseJson(text);
  const fields = isJsonObject(answer) ? answer : {};
  return { messageId: idText(fields.id) ?? idText(fields.message_id) ?? key, threadId: idText(fields.thread_id) };
}

function idText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' && value.length <= MAX_MESSAGE_ID_LENGTH ? value : undefined;
}
