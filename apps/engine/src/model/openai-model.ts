import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, type ModelMessage as SdkMessage, tool } from 'ai';
import { answerFetch, type Exchange } from './answer-fetch.js';
import { usageOf } from './answer-usage.js';
import { type BreakerLimits, ModelBreaker } from './model-breaker.js';
import { modelErrorOf } from './model-error-of.js';
import {
  type Completion,
  type Model,
  ModelError,
  type ModelMessage,
  type ToolDescription,
  type UnreadAnswer,
} from './model.js';

export interface OpenAiSettings {
  baseUrl: string;
  apiKey: string | null;
  model: string;
  timeoutMs: number;
  maxOutputTokens: number;
  maxAnswerBytes: number;
  breaker: BreakerLimits;
}

/**
 * A chat-completions endpoint. The AI SDK words the request, and `readAnswer` reads what comes back. One call is one
 * step; the engine runs the loop and the tools.
 */
export class OpenAiModel implements Model {
  private readonly breaker: ModelBreaker;

  constructor(private readonly settings: OpenAiSettings) {
    this.breaker = new ModelBreaker(settings.breaker);
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
    const { timeoutMs, maxOutputTokens, model, baseUrl, apiKey, maxAnswerBytes } = this.settings;
    const timeout = AbortSignal.timeout(timeoutMs);
    const exchange: Exchange = { answer: null, inputChars: 0, excerpt: '', outputChars: 0 };
    const endpoint = createOpenAICompatible({
      name: 'model',
      baseURL: baseUrl,
      fetch: answerFetch(exchange, maxAnswerBytes, apiKey),
      ...(apiKey ? { apiKey } : {}),
    });
    try {
      await generateText({
        model: endpoint(model),
        instructions: messages.flatMap((message) => (message.role === 'system' ? [message.content] : [])).join('\n\n'),
        messages: messages.flatMap(sdkMessage),
        maxRetries: 0,
        maxOutputTokens,
        abortSignal: AbortSignal.any([signal, timeout]),
        ...(tools.length > 0 ? { tools: sdkTools(tools) } : {}),
      });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (timeout.aborted) {
        throw new ModelError('model_timeout', `no answer within ${timeoutMs} ms`, false, null, { cause: error });
      }
      const failed = modelErrorOf(error);
      // It reports an error, and what that has used.
      if (exchange.answer?.usage) failed.unread.push(unreadOf(exchange, model, 'the endpoint reports an error'));
      throw failed;
    }
    return completionOf(exchange, model);
  }
}

/** @throws ModelError `model_malformed`, with what the answer has used */
function completionOf(exchange: Exchange, model: string): Completion {
  const { answer, inputChars } = exchange;
  if (answer?.is !== 'answer') {
    const why = answer?.is === 'unreadable' ? answer.why : 'it reports an error that it does not name';
    const failed = new ModelError('model_malformed', `the answer could not be read: ${why}`);
    failed.unread.push(unreadOf(exchange, model, why));
    throw failed;
  }
  const { is: _is, usage, ...said } = answer;
  return { ...said, model, ...usageOf(usage, inputChars, said.text.length + JSON.stringify(said.tool_calls).length) };
}

function unreadOf({ answer, inputChars, outputChars, excerpt }: Exchange, model: string, why: string): UnreadAnswer {
  return { model, why, excerpt, ...usageOf(answer?.usage, inputChars, outputChars) };
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
        toolName: nameFor(call.name),
        // Endpoints refuse a request whose arguments are no object. The result says what was wrong with them.
        input: isObject(call.arguments) ? call.arguments : {},
      }));
      return [{ role: 'assistant', content: [...text, ...calls] }];
    }
    case 'tool': {
      const output = { type: 'text' as const, value: JSON.stringify(message.result) ?? 'null' };
      return [
        {
          role: 'tool',
          content: [{ type: 'tool-result', toolCallId: message.call_id, toolName: nameFor(message.name), output }],
        },
      ];
    }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Endpoints refuse a request that repeats a name which no tool can have. */
function nameFor(name: string): string {
  return name.replace(/[^\w-]+/g, '_').slice(0, 64) || 'unnamed';
}
