import type { generateText } from 'ai';
import { finishOf } from './answer-parts.js';
import type { Exchange } from './answer-fetch.js';
import { usageOf } from './answer-usage.js';
import type { CallMark, Completion, ToolCall } from './model.js';
import { readArguments } from './read-arguments.js';

export type SdkResult = Pick<
  Awaited<ReturnType<typeof generateText>>,
  'text' | 'toolCalls' | 'finishReason' | 'rawFinishReason' | 'usage'
>;

/** The answer of a provider that its package has read. */
export function sdkAnswer(result: SdkResult, exchange: Exchange, name: string): Completion {
  const { text, finishReason, rawFinishReason, usage } = result;
  const tool_calls = result.toolCalls.map((call): ToolCall => {
    const { toolCallId: id, toolName, input, providerMetadata: options } = call;
    const mark: CallMark | null = options ? { from: name, options } : null;
    return { id, name: toolName, arguments: readArguments(input), ...(mark ? { mark } : {}) };
  });
  return {
    text,
    tool_calls,
    // The package of a provider may not know a reason that another server of its protocol gives.
    finish_reason: finishReason === 'other' ? finishOf(rawFinishReason, tool_calls.length) : finishReason,
    model: name,
    ...usageOf(
      { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens },
      exchange.inputChars,
      text.length + JSON.stringify(tool_calls).length,
    ),
  };
}
