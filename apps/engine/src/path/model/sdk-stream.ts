import { APICallError, type TextStreamPart, type ToolSet } from 'ai';
import { fieldsOf } from './answer-parts.js';
import { ModelError } from './model.js';
import { statusOf } from './read-answer.js';
import type { SdkResult } from './sdk-answer.js';

/**
 * Reads a stream to its end. One that breaks off before the provider says that it is over ends with `interrupted`.
 * @throws what the stream reports, with its status where it says enough
 */
export async function readSdkStream(
  parts: AsyncIterable<TextStreamPart<ToolSet>>,
  onText: (text: string) => void,
): Promise<SdkResult> {
  let text = '';
  /** By the id of each; a signature comes with one of its pieces. */
  const thoughts = new Map<string, Extract<SdkResult['reasoning'][number], { type: 'reasoning' }>>();
  const toolCalls: SdkResult['toolCalls'] = [];
  for await (const part of parts) {
    if (part.type === 'text-delta') {
      text += part.text;
      onText(part.text);
    } else if (part.type === 'reasoning-start' || part.type === 'reasoning-delta' || part.type === 'reasoning-end') {
      const before = thoughts.get(part.id);
      const providerMetadata = part.providerMetadata ?? before?.providerMetadata;
      const thought = `${before?.text ?? ''}${part.type === 'reasoning-delta' ? part.text : ''}`;
      thoughts.set(part.id, { type: 'reasoning', text: thought, ...(providerMetadata ? { providerMetadata } : {}) });
    } else if (part.type === 'tool-call') toolCalls.push(part);
    else if (part.type === 'error') throw reported(part.error);
    else if (part.type === 'finish-step') {
      const { rawFinishReason, usage } = part;
      const isCut = part.finishReason === 'other' && rawFinishReason === undefined;
      const finishReason = isCut ? 'interrupted' : part.finishReason;
      return { text, reasoning: [...thoughts.values()], toolCalls, finishReason, rawFinishReason, usage };
    }
  }
  throw new Error('the stream has no end');
}

/** An error within a stream comes after a status of success. It is to be classified as if it had come with its own. */
function reported(error: unknown): unknown {
  if (error instanceof ModelError || APICallError.isInstance(error)) return error;
  const { statusCode: given, type, code, message, data } = fieldsOf(error) ?? { message: error };
  if (error instanceof Error && data === undefined) return error;
  const responseBody = JSON.stringify({ type, code, message, data });
  const statusCode = Number(given) >= 400 ? Number(given) : statusOf({ type, code, message: responseBody });
  if (statusCode === null) return error;
  const facts = { message: String(message), url: '', requestBodyValues: {}, statusCode, responseBody };
  return new APICallError(facts);
}
