import { answered, type Exchange, given, type Reading, shownChars, writesCompletions } from './answer-fetch.js';
import { beginsStream, JoinedStream } from './joined-stream.js';
import type { Fetch } from './model-fetch.js';
import { readJoined } from './read-answer.js';
import { excerptWithoutKeys } from './without-key.js';

interface Listening {
  /** Called for each piece of the answer: the model is not silent. */
  onPiece: () => void;
  /** Text of a chat completion. That of other protocols is read by the package of the provider. */
  onText: (text: string) => void;
}

/**
 * As `answerFetch`, for an answer that was asked for as a stream. A chat completion is read here while it arrives. A
 * stream of another protocol passes, and only its beginning is kept. What comes in one piece all the same is read as one.
 */
export function streamedFetch(exchange: Exchange, reading: Reading, fetch: Fetch, listening: Listening): Fetch {
  return async (url, init) => {
    exchange.inputChars = typeof init?.body === 'string' ? init.body.length : 0;
    const response = await fetch(url, init);
    if (!response.ok || !response.body) return response;
    if (writesCompletions.has(reading.kind)) return completionIn(exchange, reading, response, listening);
    if (!/event-?stream/.test(response.headers.get('content-type') ?? ''))
      return answered(exchange, reading, response, await textOf(response, listening.onPiece));
    return passing(exchange, reading, response, listening.onPiece);
  };
}

async function textOf(response: Response, onPiece: () => void): Promise<string> {
  let body = '';
  for await (const piece of piecesOf(response)) {
    onPiece();
    body += piece;
  }
  return body;
}

async function* piecesOf({ body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const bytes of body ?? []) yield decoder.decode(bytes as Uint8Array, { stream: true });
  yield decoder.decode();
}

/** With fewer, the first word of a stream may not be whole. */
const decidingChars = 'event:'.length;

async function completionIn(
  exchange: Exchange,
  reading: Reading,
  response: Response,
  { onPiece, onText }: Listening,
): Promise<Response> {
  const joined = new JoinedStream();
  const excerpt = excerptOf(exchange, reading.secrets);
  let body = '';
  let streams: boolean | null = null;
  for await (const piece of piecesOf(response)) {
    onPiece();
    exchange.outputChars += piece.length;
    if (streams === null || !streams) body += piece;
    streams ??= body.trim().length < decidingChars ? null : beginsStream(body);
    if (!streams) continue;
    const text = joined.add(body === '' ? piece : body);
    excerpt(body === '' ? piece : body);
    body = '';
    if (text !== '') onText(text);
  }
  if (!streams) return answered(exchange, reading, response, body);
  const last = joined.end();
  if (last !== '') onText(last);
  const read = readJoined(joined);
  exchange.usage = read.usage;
  return given(exchange, read, response, new Response(minimal, { headers: { 'content-type': 'text/event-stream' } }));
}

const minimal = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: '' }, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`;

/** A stream for the package of a provider. */
function passing(exchange: Exchange, { secrets }: Reading, response: Response, onPiece: () => void): Response {
  const decoder = new TextDecoder();
  const excerpt = excerptOf(exchange, secrets);
  const tap = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      onPiece();
      exchange.outputChars += bytes.length;
      excerpt(decoder.decode(bytes, { stream: true }));
      controller.enqueue(bytes);
    },
  });
  return new Response(response.body?.pipeThrough(tap) ?? null, { status: response.status, headers: response.headers });
}

/** A key may lie across pieces, so the excerpt is taken of the whole beginning each time. */
function excerptOf(exchange: Exchange, secrets: readonly string[]): (piece: string) => void {
  const mostChars = shownChars + 8 * Math.max(0, ...secrets.map((secret) => secret.length));
  let head = '';
  return (piece) => {
    if (head.length >= mostChars) return;
    head += piece.slice(0, mostChars);
    exchange.excerpt = excerptWithoutKeys(head, secrets, shownChars);
  };
}
