import type { generateText } from 'ai';
import { finishOf } from './answer-parts.js';
import type { Exchange } from './answer-fetch.js';
import { usageOf } from './answer-usage.js';
import type { CallMark, Completion, Thoughts, ToolCall } from './model.js';
import { readArguments } from './read-arguments.js';

export type SdkResult = Pick<
  Awaited<ReturnType<typeof generateText>>,
  'text' | 'reasoning' | 'toolCalls' | 'finishReason' | 'rawFinishReason' | 'usage'
>;

/** The answer of a provider that its package has read. */
export function sdkAnswer(result: SdkResult, exchange: Exchange, name: string): Completion {
  const { text, finishReason, rawFinishReason, usage } = result;
  const tool_calls = result.toolCalls.map((call): ToolCall => {
    const { toolCallId: id, toolName, input, providerMetadata: options } = call;
    const mark: CallMark | null = options ? { from: name, options } : null;
    return { id, name: toolName, arguments: readArguments(input), ...(mark ? { mark } : {}) };
  });
  const parts = result.reasoning.flatMap((part) =>
    part.type === 'reasoning' && part.providerMetadata ? [{ text: part.text, options: part.providerMetadata }] : [],
  );
  return {
    text,
    tool_calls,
    ...thoughtsOf(name, tool_calls, parts),
    // The package of a provider may not know a reason that another server of its protocol gives.
    finish_reason: finishReason === 'other' ? finishOf(rawFinishReason, tool_calls.length) : finishReason,
    model: name,
    ...usageOf(
      {
        input_tokens: usage.inputTokens,
        output_tokens: usage.outputTokens,
        cached_tokens: usage.inputTokenDetails.cacheReadTokens,
        cache_write_tokens: usage.inputTokenDetails.cacheWriteTokens,
      },
      exchange.inputChars,
      text.length + JSON.stringify(tool_calls).length,
    ),
  };
}

/** Only calls are answered within a turn, so thoughts of an answer without them are not wanted back. */
export function thoughtsOf(from: string, calls: ToolCall[], parts: Thoughts['parts']): { thoughts?: Thoughts } {
  return calls.length > 0 && parts.length > 0 ? { thoughts: { from, parts } } : {};
}
