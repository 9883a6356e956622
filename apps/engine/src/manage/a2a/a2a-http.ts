import { A2A_CONTENT_TYPE, type ListTasksRequest, taskStateFromJSON } from '@a2a-js/sdk';
import { A2AError, RequestMalformedError, restStatusFor, toRestErrorBody } from '@a2a-js/sdk/errors';
import { Problem } from '#libs/service-kit';
import { faultWords } from './a2a-stream.js';

/** How the HTTP binding of A2A 1.0 writes requests and refusals. */

export const a2aMediaType = A2A_CONTENT_TYPE;

export type AskedQuery = Record<string, string | string[] | undefined>;

/** Of a fault of ours, after the status was sent. */
export const httpFault = toRestErrorBody(new Error(faultWords), 500);

/** @throws RequestMalformedError for what is none */
export function readAs<T>(type: { fromJSON(object: unknown): T }, body: unknown): T {
  if (typeof body !== 'object' || body === null) throw new RequestMalformedError('The body is no JSON object.');
  try {
    return type.fromJSON(body);
  } catch (error) {
    throw new RequestMalformedError({ message: 'The body is not what this call takes.', cause: error });
  }
}

/** `tsk_1:cancel` is the method `cancel` of the task `tsk_1`. */
export function callOf(segment: string): { id: string; method: string | null } {
  const colon = segment.lastIndexOf(':');
  if (colon < 0) return { id: segment, method: null };
  return { id: segment.slice(0, colon), method: segment.slice(colon + 1) };
}

export function askedList(query: AskedQuery): ListTasksRequest {
  const status = text(query, 'status');
  const historyLength = askedHistory(query);
  const pageSize = whole(query, 'pageSize');
  return {
    tenant: '',
    contextId: text(query, 'contextId'),
    status: status === '' ? 0 : taskStateFromJSON(/^\d+$/.test(status) ? Number(status) : status),
    pageToken: text(query, 'pageToken'),
    statusTimestampAfter: text(query, 'statusTimestampAfter') || undefined,
    includeArtifacts: text(query, 'includeArtifacts') === 'true',
    ...(pageSize !== undefined && { pageSize }),
    ...(historyLength !== undefined && { historyLength }),
  };
}

export const askedHistory = (query: AskedQuery): number | undefined => whole(query, 'historyLength');

function text(query: AskedQuery, name: string): string {
  const value = query[name] ?? '';
  if (typeof value !== 'string') throw new RequestMalformedError(`${name} is given more than once.`);
  return value;
}

function whole(query: AskedQuery, name: string): number | undefined {
  const value = text(query, name);
  if (value === '') return undefined;
  if (!/^\d{1,9}$/.test(value)) throw new RequestMalformedError(`${name} is no whole number.`);
  return Number(value);
}

/** @throws what is no refusal: a fault of ours, whose words are not for callers */
export function httpRefusal(error: unknown): { status: number; body: object; headers: Record<string, string> } {
  const problem = error instanceof Problem ? error : error instanceof Error ? error.cause : null;
  if (problem instanceof Problem) {
    const { status, code, detail, headers } = problem;
    // The protocol has one error for whatever is wrong with a request; what is not the request's fault keeps its status.
    const isMalformed = status === 409 || status === 413 || status === 422;
    const shown = isMalformed ? new RequestMalformedError({ message: detail, metadata: { code } }) : new Error(detail);
    const answered = isMalformed ? restStatusFor(shown) : status;
    return { status: answered, body: toRestErrorBody(shown, answered), headers };
  }
  if (!(error instanceof A2AError)) throw error;
  const status = restStatusFor(error);
  return { status, body: toRestErrorBody(error, status), headers: {} };
}
