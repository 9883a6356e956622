import { APICallError } from 'ai';
import { ModelError } from './model.js';
import { excerptWithoutKeys } from './without-key.js';

/**
 * How endpoints say that a conversation is too long: OpenAI, Azure, Anthropic, Gemini, Bedrock, Mistral, vLLM,
 * llama.cpp, Ollama.
 */
const tooLong =
  /context[_ ](length|window|size)|maximum context|max(imum)?_?\s?(model|prompt|input)[_ ](len|length|tokens)|(prompt|input|request|conversation|messages?) (is|are|was) too (long|large)|too many (input |prompt )?tokens|token (count|limit)[^.]{0,40}exceed|exceeds?[^.]{0,60}(token|context)|reduce the length|string_above_max_length|request_too_large/i;

/** The account behind the key has no money or no quota left. Waiting alone seldom helps; another key does. */
const unpaid =
  /insufficient[_ ](quota|balance|funds|credits?)|billing|credit balance|payment required|out of credits|exceeded your current quota|spend(ing)?[_ ]limit|usage limit/i;

/** Says within another status that the key is wrong: Gemini with 400, some gateways with 500. */
const badKey =
  /api[_ ]key[_ ](not valid|invalid)|(invalid|incorrect|expired)[_ ](x-)?api[_ -]?key|API_KEY_INVALID|invalid authentication|UnrecognizedClientException|InvalidSignatureException|security token (included in the request is )?(invalid|expired)/i;

const busy =
  /overloaded|ThrottlingException|capacity|rate[_ ]limit|too many requests|RESOURCE_EXHAUSTED|ModelNotReady/i;

/**
 * Classifies the failure of a model call, before anything words it: by key, model, provider or request. The message has
 * the endpoint's own words.
 * @param secrets of the call: they are left out of those words
 */
export function modelErrorOf(error: unknown, secrets: readonly string[] = []): ModelError {
  const own = ownError(error);
  if (own) return own;
  const cause = { cause: error };
  if (isOfNetwork(error)) return new ModelError('model_unavailable', 'the model does not answer', cause);
  if (!APICallError.isInstance(error)) return new ModelError('model_malformed', 'the answer could not be read', cause);
  const status = error.statusCode;
  if (status === undefined) return new ModelError('model_unavailable', 'the model does not answer', cause);
  if (status < 300) return new ModelError('model_malformed', 'the answer is not a chat completion', cause);
  const answered = `the model answered ${status}${ownWordsOf(error.responseBody, secrets)}`;
  const words = `${error.message} ${error.responseBody ?? ''}`;
  const later = { ...cause, retryAfterMs: retryAfterMs(error) };
  if (status === 413 || ([400, 422].includes(status) && tooLong.test(words))) {
    return new ModelError('context_length', `${answered}: the conversation is too long for it`, {
      permanent: true,
      ...cause,
    });
  }
  // Gemini words each of its rate limits as a spent quota, and says when it is free again.
  if (status === 402 || ([400, 403, 429].includes(status) && later.retryAfterMs === null && unpaid.test(words)))
    return new ModelError(
      'model_unauthorized',
      `${answered}: the account of the key has no credit or quota left`,
      later,
    );
  if (status === 401 || status === 403 || badKey.test(words))
    return new ModelError('model_unauthorized', `${answered}: it does not accept the key`, cause);
  if (status === 429) {
    // Bedrock says with 429 that a model is not ready, others that the key asked too often.
    const blame = /overloaded|capacity|ModelNotReady/i.test(words) ? 'model' : 'key';
    return new ModelError('model_unavailable', `${answered}: too many requests`, { ...later, blame });
  }
  if (status === 529 || (status >= 500 && busy.test(words)))
    return new ModelError('model_unavailable', `${answered}: it is overloaded`, { ...later, blame: 'model' });
  if (status === 404 || status === 410)
    return new ModelError('model_rejected', `${answered}: there is no such model`, {
      permanent: true,
      ...cause,
      blame: 'model',
    });
  // The request is at fault, except where the server gave up on it or asks for another try.
  if (status < 500 && ![408, 409, 424, 425].includes(status))
    return new ModelError('model_rejected', answered, { permanent: true, ...cause });
  return new ModelError('model_unavailable', answered, status === 424 ? { ...later, blame: 'model' } : later);
}

const shownChars = 300;

/** What the endpoint says in its error body, for people: ` (“…”)`, or nothing. */
function ownWordsOf(body: string | undefined, secrets: readonly string[]): string {
  const words = messageIn(parsed(body));
  if (words === null) return '';
  const shown = excerptWithoutKeys(words.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim(), secrets, shownChars);
  return shown === '' ? '' : ` (“${shown}”)`;
}

function parsed(body: string | undefined): unknown {
  try {
    return JSON.parse(body ?? '');
  } catch {
    // A page of HTML or plain text of something in between says nothing of the model.
    return null;
  }
}

/** `error.message` (OpenAI, Anthropic, Gemini), `message` (Bedrock, Mistral), `error` or `detail` (vLLM, Ollama). */
function messageIn(body: unknown): string | null {
  // A gateway in between quotes the whole body.
  if (typeof body === 'string') return (body.startsWith('{') ? messageIn(parsed(body)) : null) ?? body;
  if (Array.isArray(body)) return messageIn(body[0]);
  if (typeof body !== 'object' || body === null) return null;
  const { error, message, detail } = body as Record<string, unknown>;
  return [error, message, detail].map(messageIn).find((words) => words !== null) ?? null;
}

const maxDepth = 5;

function* causesOf(error: unknown): Generator<object> {
  let each: unknown = error;
  for (let depth = 0; depth < maxDepth && typeof each === 'object' && each !== null; depth += 1) {
    yield each;
    ({ cause: each } = each as { cause?: unknown });
  }
}

/** A failure that was classified below the SDK, which wraps what its fetch throws. */
function ownError(error: unknown): ModelError | null {
  for (const each of causesOf(error)) if (each instanceof ModelError) return each;
  return null;
}

/** Whether the connection failed, before or during the answer. An error of undici or of a socket causes it. */
function isOfNetwork(error: unknown): boolean {
  for (const each of causesOf(error)) {
    const { code } = each as { code?: unknown };
    if (typeof code === 'string' && /^(UND_ERR_|E[A-Z]+$)/.test(code)) return true;
  }
  return false;
}

const longestWaitMs = 300_000;

/**
 * When the endpoint asks for the next try: `retry-after-ms` (OpenAI, Azure), `Retry-After` as seconds or as a date (RFC
 * 9110 section 10.2.3), or `retryDelay` in the body (Google's RetryInfo).
 */
function retryAfterMs({ responseHeaders, responseBody }: APICallError): number | null {
  const header = (name: string): string | undefined =>
    Object.entries(responseHeaders ?? {}).find(([each]) => each.toLowerCase() === name)?.[1];
  const after = header('retry-after')?.trim();
  const inBody = /"retryDelay"\s*:\s*"(\d{1,6}(?:\.\d{1,9})?)s"/.exec(responseBody ?? '')?.[1];
  const candidates = [
    numberOf(header('retry-after-ms')),
    numberOf(after) * 1_000,
    // Only names of days begin a date: `Date.parse` reads nearly anything.
    after !== undefined && /^[a-z]{3}/i.test(after) ? Date.parse(after) - Date.now() : Number.NaN,
    numberOf(inBody) * 1_000,
  ];
  const found = candidates.find((ms) => Number.isFinite(ms));
  return found === undefined ? null : Math.min(Math.max(Math.ceil(found), 0), longestWaitMs);
}

function numberOf(text: string | undefined): number {
  const number = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  return number >= 0 ? number : Number.NaN;
}
