import type { ReadAnswer } from './read-answer.js';
import { readAnswer } from './read-answer.js';
import { excerptWithoutKey } from './without-key.js';

/** What one request to the endpoint gave. */
export interface Exchange {
  /** Null while there is no answer with a status of success. */
  answer: ReadAnswer | null;
  inputChars: number;
  /** The beginning of the body, for people, without the key. */
  excerpt: string;
  outputChars: number;
}

const shownChars = 500;

/**
 * A fetch for the AI SDK that reads the answer itself. The SDK discards a whole answer for one field that it does not
 * know, with its usage. It is given a minimal completion, or the status that an error within a 200 should have had.
 */
export function answerFetch(exchange: Exchange, maxBytes: number, apiKey: string | null): typeof fetch {
  return async (url, init) => {
    exchange.inputChars = typeof init?.body === 'string' ? init.body.length : 0;
    const response = await fetch(url, init);
    if (!response.ok) return response;
    const body = await textOf(response, maxBytes);
    const answer: ReadAnswer = body === null ? tooLarge(maxBytes) : readAnswer(body);
    exchange.answer = answer;
    exchange.excerpt = excerptWithoutKey(body ?? '', apiKey, shownChars);
    exchange.outputChars = body?.length ?? maxBytes;
    if (answer.is !== 'error' || answer.status === null) return Response.json(read);
    return Response.json(
      { error: { message: exchange.excerpt } },
      { status: answer.status, headers: waitIn(response) },
    );
  };
}

/** For the SDK: the answer is taken from the exchange. */
const read = { choices: [{ message: { role: 'assistant', content: '' }, finish_reason: 'stop' }] };

function tooLarge(maxBytes: number): ReadAnswer {
  return { is: 'unreadable', why: `it has over ${maxBytes} bytes`, usage: null };
}

function waitIn({ headers }: Response): Record<string, string> {
  const seconds = headers.get('retry-after');
  return seconds === null ? {} : { 'retry-after': seconds };
}

/** @returns null when there is more than `maxBytes` */
async function textOf(response: Response, maxBytes: number): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    // Leaving the loop cancels the body.
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
