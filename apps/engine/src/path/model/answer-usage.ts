/** The tokens of one model call. */
export interface ModelUsage {
  input_tokens: number;
  output_tokens: number;
  /** Of the input, what came from the provider's cache, and what went there. Absent: none. */
  cached_tokens?: number;
  cache_write_tokens?: number;
  /** The endpoint did not report one of them, or not as a number: it is estimated from the lengths. */
  estimated: boolean;
}

/** A usual average, for text and JSON in European languages. */
const charsPerToken = 4;
/** Above any real call. The sums of a turn stay within what its row can hold. */
const maxTokens = 10_000_000;

/**
 * What a call used, as the endpoint reports it, by the names of chat completions, of the APIs beside it, of
 * Bedrock and Gemini. Limits and
 * budgets count every call, so what is not reported is estimated.
 */
export function usageOf(reported: unknown, inputChars: number, outputChars: number): ModelUsage {
  const usage = typeof reported === 'object' && reported !== null ? (reported as Record<string, unknown>) : {};
  const first = (names: string[]): number | null =>
    names.map((name) => count(usage[name])).find((n) => n !== null) ?? null;
  const total = first(['total_tokens', 'totalTokens', 'totalTokenCount']);
  const input = first(['prompt_tokens', 'input_tokens', 'inputTokens', 'promptTokenCount']);
  const output = first(['completion_tokens', 'output_tokens', 'outputTokens', 'candidatesTokenCount']);
  const left = (part: number | null): number | null =>
    total !== null && part !== null && total >= part ? total - part : null;
  const details = usage['prompt_tokens_details'] ?? usage['input_tokens_details'];
  const cached = count((details as Record<string, unknown> | null | undefined)?.['cached_tokens']);
  const fromCache = cached ?? first(['cached_tokens', 'prompt_cache_hit_tokens', 'cachedContentTokenCount']);
  const toCache = first(['cache_write_tokens']);
  const known = { input: input ?? left(output), output: output ?? left(input) };
  return {
    input_tokens: known.input ?? estimate(inputChars),
    output_tokens: known.output ?? estimate(outputChars),
    ...(fromCache ? { cached_tokens: fromCache } : {}),
    ...(toCache ? { cache_write_tokens: toCache } : {}),
    estimated: known.input === null || known.output === null,
  };
}

function estimate(chars: number): number {
  return Math.min(Math.ceil(chars / charsPerToken), maxTokens);
}

/** A whole number of tokens, also as text; null if it is none. */
function count(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number) || number < 0) return null;
  return Math.min(Math.round(number), maxTokens);
}
