import type { ProviderKind } from './provider-kind.js';
import { type Fetch, tooLargeWords, wasCut } from './model-fetch.js';
import { readAnswer, readOtherAnswer, type ReadAnswer } from './read-answer.js';
import { excerptWithoutKeys } from './without-key.js';

/** What one request to the endpoint gave. */
export interface Exchange {
  /** Null while there is no answer with a status of success, and where the package of the provider reads it. */
  answer: ReadAnswer | null;
  /** What an answer that the package reads says of its tokens. */
  usage: unknown;
  inputChars: number;
  /** The beginning of the body, for people, without the key. */
  excerpt: string;
  outputChars: number;
}

export const newExchange = (): Exchange => ({ answer: null, usage: null, inputChars: 0, excerpt: '', outputChars: 0 });

export const shownChars = 500;
/** Their answers are chat completions, which servers write in many ways. The others have one server each. */
export const writesCompletions: ReadonlySet<ProviderKind> = new Set(['openai', 'azure', 'openai-compatible']);

export interface Reading {
  kind: ProviderKind;
  maxBytes: number;
  /** Values that no excerpt may show. */
  secrets: readonly string[];
}

/**
 * A fetch for the AI SDK that reads the answer itself. The SDK discards a whole answer for one field that it does not
 * know, with its usage. It is given a minimal completion, or the status that an error within a 200 should have had.
 */
export function answerFetch(exchange: Exchange, reading: Reading, fetch: Fetch): Fetch {
  return async (url, init) => {
    exchange.inputChars = typeof init?.body === 'string' ? init.body.length : 0;
    const response = await fetch(url, init);
    if (!response.ok) return response;
    return answered(exchange, reading, response, await response.text());
  };
}

/** What the SDK is given for a whole answer. */
export function answered(exchange: Exchange, { kind, maxBytes, secrets }: Reading, response: Response, body: string) {
  const completion = writesCompletions.has(kind);
  const read = wasCut(response) ? tooLarge(maxBytes) : completion ? readAnswer(body) : readOtherAnswer(body);
  exchange.excerpt = excerptWithoutKeys(wasCut(response) ? '' : body, secrets, shownChars);
  exchange.outputChars = wasCut(response) ? maxBytes : body.length;
  exchange.usage = read.usage;
  if (read.is === 'other') return new Response(body, { status: response.status, headers: response.headers });
  return given(exchange, read, response, completion ? Response.json(minimal) : new Response('', { status: 200 }));
}

/** @param nothing what the SDK reads where the answer is taken from the exchange */
export function given(exchange: Exchange, read: ReadAnswer, response: Response, nothing: Response): Response {
  exchange.answer = read;
  if (read.is !== 'error' || read.status === null) return nothing;
  const error = { message: exchange.excerpt };
  return Response.json({ error }, { status: read.status, headers: waitIn(response) });
}

const minimal = { choices: [{ message: { role: 'assistant', content: '' }, finish_reason: 'stop' }] };

function tooLarge(maxBytes: number): ReadAnswer {
  return { is: 'unreadable', why: tooLargeWords(maxBytes), usage: null };
}

function waitIn({ headers }: Response): Record<string, string> {
  const seconds = headers.get('retry-after');
  return seconds === null ? {} : { 'retry-after': seconds };
}
