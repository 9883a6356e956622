import { APICallError } from 'ai';
import { ModelError } from './model.js';

/**
 * How endpoints say that a conversation is too long: OpenAI, Azure, Anthropic, Gemini, Mistral, vLLM, llama.cpp,
 * Ollama.
 */
const tooLong =
  /context[_ ](length|window|size)|maximum context|max(imum)?_?\s?(model|prompt|input)[_ ](len|length|tokens)|(prompt|input|request|conversation|messages?) (is|are|was) too (long|large)|too many (input |prompt )?tokens|token (count|limit)[^.]{0,40}exceed|exceeds?[^.]{0,60}(token|context)|reduce the length|string_above_max_length|request_too_large/i;

/** Classifies the failure of a model call. */
export function modelErrorOf(error: unknown): ModelError {
  const cause = { cause: error };
  if (isOfNetwork(error)) return new ModelError('model_unavailable', 'the model does not answer', false, null, cause);
  if (!APICallError.isInstance(error)) {
    return new ModelError('model_malformed', 'the answer could not be read', false, null, cause);
  }
  const status = error.statusCode;
  if (status === undefined) return new ModelError('model_unavailable', 'the model does not answer', false, null, cause);
  if (status < 300) return new ModelError('model_malformed', 'the answer is not a chat completion', false, null, cause);
  const said = `the model answered ${status}`;
  if (status === 413 || ([400, 422].includes(status) && tooLong.test(`${error.message} ${error.responseBody ?? ''}`))) {
    return new ModelError('context_length', `${said}: the conversation is too long for it`, true, null, cause);
  }
  if (status === 401 || status === 403) return new ModelError('model_unauthorized', said, false, null, cause);
  // The request is at fault, except with 408 and 429, which are the endpoint's.
  if (status < 500 && status !== 408 && status !== 429)
    return new ModelError('model_rejected', said, true, null, cause);
  return new ModelError('model_unavailable', said, false, retryAfterMs(error), cause);
}

/** Whether the connection failed, before or during the answer. An error of undici or of a socket causes it. */
function isOfNetwork(error: unknown): boolean {
  let each: unknown = error;
  for (let depth = 0; depth < 5 && typeof each === 'object' && each !== null; depth += 1) {
    const { code, cause } = each as { code?: unknown; cause?: unknown };
    if (typeof code === 'string' && /^(UND_ERR_|E[A-Z]+$)/.test(code)) return true;
    each = cause;
  }
  return false;
}

/** `Retry-After` in seconds (RFC 9110 section 10.2.3). Its date form is ignored in favour of the turn's own backoff. */
function retryAfterMs(error: APICallError): number | null {
  const seconds = Number(error.responseHeaders?.['retry-after'] ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1000, 300_000) : null;
}
