import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, type LanguageModel, type ModelMessage as SdkMessage, tool } from 'ai';
import { type BreakerLimits, ModelBreaker } from './model-breaker.js';
import { modelErrorOf } from './model-error-of.js';
import { type Completion, type Model, ModelError, type ModelMessage, type ToolDescription } from './model.js';

export interface OpenAiSettings {
  baseUrl: string;
  apiKey: string | null;
  model: string;
  timeoutMs: number;
  maxOutputTokens: number;
  breaker: BreakerLimits;
}

/** A chat-completions endpoint through the AI SDK. One call is one step; the engine runs the loop and the tools. */
export class OpenAiModel implements Model {
  private readonly model: LanguageModel;
  private readonly breaker: ModelBreaker;

  constructor(private readonly settings: OpenAiSettings) {
    const { baseUrl, apiKey, breaker } = settings;
    this.breaker = new ModelBreaker(breaker);
    this.model = createOpenAICompatible({ name: 'model', baseURL: baseUrl, ...(apiKey ? { apiKey } : {}) })(
      settings.model,
    );
  }

  async complete(messages: ModelMessage[], tools: ToolDescription[], signal: AbortSignal): Promise<Completion> {
    this.breaker.check();
    const beganMs = performance.now();
    try {
      const completion = await this.ask(messages, tools, signal);
      this.breaker.succeeded();
      return completion;
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      // An endpoint that refuses a request or answers nonsense is still up.
      if (error.away) this.breaker.failed(error, beganMs);
      else this.breaker.succeeded();
      throw error;
    }
  }

  private async ask(messages: ModelMessage[], tools: ToolDescription[], signal: AbortSignal): Promise<Completion> {
    const { timeoutMs, maxOutputTokens, model } = this.settings;
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const result = await generateText({
        model: this.model,
        instructions: messages.flatMap((message) => (message.role === 'system' ? [message.content] : [])).join('\n\n'),
        messages: messages.flatMap(sdkMessage),
        maxRetries: 0,
        maxOutputTokens,
        include: { responseBody: true },
        abortSignal: AbortSignal.any([signal, timeout]),
        ...(tools.length > 0 ? { tools: sdkTools(tools) } : {}),
      });
      const refusal = refusalIn(result.response.body);
      return {
        text: result.text,
        tool_calls: result.toolCalls.map((call) => ({
          id: call.toolCallId,
          name: call.toolName,
          arguments: call.input,
        })),
        input_tokens: result.usage.inputTokens ?? 0,
        output_tokens: result.usage.outputTokens ?? 0,
        model,
        finish_reason: result.finishReason,
        ...(refusal === null ? {} : { refusal }),
      };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (timeout.aborted) {
        throw new ModelError('model_timeout', `no answer within ${timeoutMs} ms`, false, null, { cause: error });
      }
      throw modelErrorOf(error);
    }
  }
}

/** `choices[0].message.refusal` of a chat completion, which the SDK omits; null if there is none. */
function refusalIn(body: unknown): string | null {
  const { choices } = (body ?? {}) as { choices?: { message?: { refusal?: unknown } }[] };
  const refusal = Array.isArray(choices) ? choices[0]?.message?.refusal : undefined;
  return typeof refusal === 'string' && refusal !== '' ? refusal : null;
}

/** Without `execute`, the SDK returns calls instead of running them. */
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
