import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateText, jsonSchema, type LanguageModel, type ModelMessage as SdkMessage, tool } from 'ai';
import { type Completion, type Model, ModelError, type ModelMessage, type ToolDescription } from './model.js';

export interface OpenAiSettings {
  baseUrl: string;
  apiKey: string | null;
  model: string;
  timeoutMs: number;
  maxOutputTokens: number;
}

/** A chat-completions endpoint through the AI SDK; one call is one step, the loop and its tools are the engine's. */
export class OpenAiModel implements Model {
  private readonly model: LanguageModel;

  constructor(private readonly settings: OpenAiSettings) {
    const { baseUrl, apiKey } = settings;
    this.model = createOpenAICompatible({ name: 'model', baseURL: baseUrl, ...(apiKey ? { apiKey } : {}) })(
      settings.model,
    );
  }

  async complete(messages: ModelMessage[], tools: ToolDescription[], signal: AbortSignal): Promise<Completion> {
    const timeout = AbortSignal.timeout(this.settings.timeoutMs);
    try {
      const result = await generateText({
        model: this.model,
        instructions: messages.flatMap((message) => (message.role === 'system' ? [message.content] : [])).join('\n\n'),
        messages: messages.flatMap(sdkMessage),
        maxRetries: 0,
        maxOutputTokens: this.settings.maxOutputTokens,
        abortSignal: AbortSignal.any([signal, timeout]),
        ...(tools.length > 0 ? { tools: sdkTools(tools) } : {}),
      });
      return {
        text: result.text,
        tool_calls: result.toolCalls.map((call) => ({
          id: call.toolCallId,
          name: call.toolName,
          arguments: call.input,
        })),
        input_tokens: result.usage.inputTokens ?? 0,
        output_tokens: result.usage.outputTokens ?? 0,
        model: this.settings.model,
        finish_reason: result.finishReason,
      };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (timeout.aborted) {
        throw new ModelError('model_timeout', `no answer within ${this.settings.timeoutMs} ms`, false, null, {
          cause: error,
        });
      }
      throw modelError(error);
    }
  }
}

/** Without `execute`, the SDK hands calls back instead of running them. */
function sdkTools(tools: ToolDescription[]): Record<string, ReturnType<typeof tool>> {
  return Object.fromEntries(
    tools.map(({ name, description, parameters }) => [
      name,
      tool({ description, inputSchema: jsonSchema(parameters) }),
    ]),
  );
}

function sdkMessage(message: ModelMessage): SdkMessage[] {
  switch (message.role) {
    case 'system':
      return [];
    case 'user':
      return [{ role: 'user', content: message.content }];
    case 'assistant': {
      const text = message.content === '' ? [] : [{ type: 'text' as const, text: message.content }];
      const calls = message.tool_calls.map((call) => ({
        type: 'tool-call' as const,
        toolCallId: call.id,
        toolName: call.name,
        input: call.arguments,
      }));
      return [{ role: 'assistant', content: [...text, ...calls] }];
    }
    case 'tool': {
      const output = { type: 'text' as const, value: JSON.stringify(message.result) };
      return [
        {
          role: 'tool',
          content: [{ type: 'tool-result', toolCallId: message.call_id, toolName: message.name, output }],
        },
      ];
    }
  }
}

function modelError(error: unknown): ModelError {
  const cause = { cause: error };
  if (!APICallError.isInstance(error))
    return new ModelError('model_malformed', 'the answer could not be read', false, null, cause);
  const status = error.statusCode;
  if (status === undefined) return new ModelError('model_unavailable', 'the model does not answer', false, null, cause);
  if (status < 300) return new ModelError('model_malformed', 'the answer is no chat completion', false, null, cause);
  if ([400, 404, 413, 422].includes(status)) {
    return new ModelError('model_rejected', `the model answered ${status}`, true, null, cause);
  }
  return new ModelError('model_unavailable', `the model answered ${status}`, false, retryAfterMs(error), cause);
}

/** `Retry-After` in seconds (RFC 9110 section 10.2.3); its date form is left to the job's own backoff. */
function retryAfterMs(error: APICallError): number | null {
  const seconds = Number(error.responseHeaders?.['retry-after'] ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1000, 300_000) : null;
}
