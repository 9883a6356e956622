import { type CallToolResult, type FetchLike, ProtocolError } from '@modelcontextprotocol/client';
import { httpStatus, McpError, toMcpError } from './mcp-error.js';
import { atBeginning, inRefusal, ofTool } from './session-words.js';
import type { TransportKind } from '../entities/mcp-server.entity.js';

const sessionHeader = 'mcp-session-id';
/** Of a refusal's body; what says that a session is lost is short. */
const maxReadChars = 4_096;

/**
 * A fetch for one connection that recognises a lost session whatever the server answers: the protocol says 404, others
 * answer 400, 401, 410 or 500, with the reason in the body. The client itself would lose the status.
 * @param onLost the connection cannot be used any more. What was sent is answered first: a message that the server
 *   refuses has not been executed, which the end of the connection would not say
 */
export function sessionFetch(
  fetch: FetchLike,
  kind: TransportKind,
  onLost: (answered: Promise<unknown>) => void,
): FetchLike {
  let streams = 0;
  const sent = new Set<Promise<unknown>>();
  const lose = (): void => onLost(Promise.allSettled(sent));
  return async (target, init = {}) => {
    const method = init.method ?? 'GET';
    // The older transport's session is its stream: a new stream has a new one, which nobody has initialised.
    if (kind === 'sse' && method === 'GET' && (streams += 1) > 1) {
      lose();
      throw gone('its event stream ended');
    }
    const answer = fetch(target, init);
    if (method === 'POST') sent.add(answer);
    const response = await answer.finally(() => sent.delete(answer));
    const inSession = kind === 'sse' ? method === 'POST' : new Headers(init.headers).has(sessionHeader);
    if (response.ok || response.status < 400 || !inSession || method === 'DELETE') return response;
    const text = await response.text().catch(() => '');
    if (!isLoss(response.status, text.slice(0, maxReadChars))) {
      return new Response(text, { status: response.status, headers: response.headers });
    }
    lose();
    throw gone(`HTTP ${response.status}`);
  };
}

function gone(why: string): McpError {
  return new McpError('session_lost', `the server does not know the session (${why})`, false);
}

function isLoss(status: number, text: string): boolean {
  if (status === 404 || status === 410) return true;
  const refusal = messageIn(text);
  if (status >= 500) return atBeginning.test(refusal ?? text);
  // Several servers answer 400 and nothing more. Others have a code of their own: `session_expired`.
  return inRefusal.test(text.replaceAll('_', ' ')) || (status === 400 && refusal === null);
}

/** The message of a JSON-RPC error, or of an object like one; null: the text is none. */
function messageIn(text: string): string | null {
  try {
    const body = JSON.parse(text) as { error?: { message?: unknown } | string; message?: unknown } | null;
    const error = body?.error;
    const message = typeof error === 'object' ? error.message : (body?.message ?? error);
    return typeof message === 'string' ? message : null;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  }
}

/**
 * Whether a refusal is about the session, in whatever words: the server then refuses a ping in the same ones. Since it
 * says that to everything, it has not acted on the request. The protocol has no method less than `ping`.
 */
export async function saysToEverything(failure: McpError, ping: () => Promise<unknown>): Promise<boolean> {
  if (!mayMeanSession(failure)) return false;
  try {
    await ping();
    return false;
  } catch (error) {
    return wordsOf(toMcpError(error)) === wordsOf(failure);
  }
}

/**
 * Whether a tool's own failure is about the session: servers that forward to others report it as a result. A list of
 * tools is forwarded as well, where a ping is not, and does nothing; a tool that has sessions of its own lists as before.
 */
export async function isLostSession(result: CallToolResult, list: () => Promise<unknown>): Promise<boolean> {
  const [first] = result.content;
  if (result.isError !== true || first?.type !== 'text' || !atBeginning.test(first.text)) return false;
  try {
    await list();
    return false;
  } catch (error) {
    const { code, message } = toMcpError(error);
    return code === 'session_lost' || inRefusal.test(message);
  }
}

function mayMeanSession({ code, message, cause }: McpError): boolean {
  if (cause instanceof ProtocolError) {
    // A server without `ping` gives the answer to unknown methods; and a tool's own exception is not about the session.
    return cause.code !== noMethod && (!ofTool.has(cause.code) || /session|initiali[sz]/i.test(message));
  }
  const status = httpStatus(cause) ?? 0;
  if (status >= 500) return inRefusal.test(message);
  return code === 'protocol_error' || (status >= 400 && code === 'refused');
}

/** Whether the server may have acted on the request all the same: after a 5xx, and after what is no refusal at all. */
export function mayHaveActed({ code, cause, sent }: McpError): boolean {
  if (!sent || cause instanceof ProtocolError) return false;
  return code === 'unreachable' || (code === 'protocol_error' && (httpStatus(cause) ?? 0) < 400);
}

const noMethod = -32_601;

/** Without what differs from answer to answer, such as the number of the request. */
const wordsOf = ({ message }: McpError): string => message.replace(/[\da-f-]{8,}|\d+/gi, '#');
