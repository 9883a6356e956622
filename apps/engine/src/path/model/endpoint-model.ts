import { APICallError, generateText, Output, type OutputInterface, streamText } from 'ai';
import { answerFetch, type Exchange, newExchange, type Reading } from './answer-fetch.js';
import { usageOf } from './answer-usage.js';
import { type BreakerLimits, ModelBreaker } from './model-breaker.js';
import { modelErrorOf } from './model-error-of.js';
import type { Fetch } from './model-fetch.js';
import {
  type AttachedFile,
  type CallOptions,
  type Completion,
  type Model,
  ModelError,
  type ModelMessage,
  type TextSink,
  type ToolDescription,
  type UnreadAnswer,
} from './model.js';
import type { ListPrice } from './model-settings.js';
import type { ProviderAccess } from './provider-kind.js';
import { providerModel } from './provider-package.js';
import { type SdkResult, sdkAnswer, thoughtsOf } from './sdk-answer.js';
import { pdfsOf, type SdkRequest, sdkRequest, withoutPdf } from './sdk-request.js';
import { readSdkStream } from './sdk-stream.js';
import { streamedFetch } from './streamed-fetch.js';

export interface EndpointSettings {
  /** Read at each call, so that a changed key is used at once. @throws ModelError when its key cannot be read */
  access: () => Promise<ProviderAccess>;
  /** The endpoint's name of the model. */
  model: string;
  /** Under which its answers count, and which its marks name. */
  name: string;
  listPrice: ListPrice | null;
  timeoutMs: number;
  maxOutputTokens: number;
  maxAnswerBytes: number;
  breaker: BreakerLimits;
  /** Whether it is shown images of tools' results. */
  takesImages: boolean;
  /** Whether it is shown PDFs of the event. */
  takesPdf: boolean;
  fetch: Fetch;
  /** For answers that are followed while they are written. */
  stream: Fetch;
  /** False: nobody follows its answers, and it is asked for whole ones. */
  streams: boolean;
}

const maxRefused = 100;

/**
 * A model of a provider. The AI SDK words the request; what comes back is read here where it is a chat completion, else
 * by the package of the provider. One call is one step; the engine runs the loop and the tools.
 */
export class EndpointModel implements Model {
  private readonly breaker: ModelBreaker;

  readonly takesImages: boolean;
  readonly takesPdf: boolean;
  readonly listPrice: ListPrice | null;
  /** Until it refuses to. */
  private streams: boolean;
  private readonly refused = new RefusedSchemas();
  /** A turn shows them with each of its steps. */
  private readonly refusedPdfs = new WeakSet<AttachedFile>();

  constructor(private readonly settings: EndpointSettings) {
    this.streams = settings.streams;
    this.takesImages = settings.takesImages;
    this.takesPdf = settings.takesPdf;
    this.listPrice = settings.listPrice;
    this.breaker = new ModelBreaker(settings.breaker);
  }

  async complete(
    messages: ModelMessage[],
    tools: ToolDescription[],
    signal: AbortSignal,
    options: CallOptions = {},
  ): Promise<Completion> {
    this.breaker.check();
    const beganMs = performance.now();
    try {
      const completion = await this.askAsItCan(messages, tools, signal, options);
      this.breaker.succeeded();
      return { ...completion, ...this.listed };
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      for (const unread of error.unread) Object.assign(unread, this.listed);
      // An endpoint that refuses a request or answers nonsense is still up.
      if (error.away) this.breaker.failed(error, beganMs);
      else this.breaker.succeeded();
      throw error;
    }
  }

  private get listed(): { listPrice?: ListPrice } {
    return this.listPrice === null ? {} : { listPrice: this.listPrice };
  }

  /** Without what the endpoint refuses: streams, this PDF, or an answer by this schema. */
  private async askAsItCan(
    given: ModelMessage[],
    tools: ToolDescription[],
    signal: AbortSignal,
    { sink, output }: CallOptions,
  ): Promise<Completion> {
    const isRefused = pdfsOf(given).some((file) => this.refusedPdfs.has(file));
    const messages = isRefused ? withoutPdf(given) : given;
    const able: CallOptions = {
      ...(sink && this.streams ? { sink } : {}),
      ...(output && !this.refused.has(output) ? { output } : {}),
    };
    try {
      return await this.ask(messages, tools, signal, able);
    } catch (error) {
      const { sink: followed, output: asked } = able;
      if (followed && refuses(error, /stream/i)) {
        this.streams = false;
        return this.askAsItCan(messages, tools, signal, asked ? { output: asked } : {});
      }
      const pdfs = this.takesPdf && refuses(error, /pdf|document|file|page/i) ? pdfsOf(messages) : [];
      if (pdfs.length > 0) {
        for (const file of pdfs) this.refusedPdfs.add(file);
        return this.askAsItCan(messages, tools, signal, able);
      }
      if (!asked || !refuses(error, /schema|response_?format|output_?(config|format)|structured/i)) throw error;
      const answer = await this.askAsItCan(messages, tools, signal, followed ? { sink: followed } : {});
      this.refused.add(asked);
      return answer;
    }
  }

  private async ask(
    messages: ModelMessage[],
    tools: ToolDescription[],
    signal: AbortSignal,
    { sink, output }: CallOptions,
  ): Promise<Completion> {
    const { timeoutMs, maxOutputTokens, name, maxAnswerBytes: maxBytes } = this.settings;
    const access = await this.settings.access();
    const silence = new Silence(timeoutMs);
    const exchange = newExchange();
    const reading = { kind: access.kind, maxBytes, secrets: Object.values(access.key ?? {}) };
    const asking = { access, exchange, reading };
    const request = {
      ...sdkRequest(messages, tools, {
        name,
        takesImages: this.takesImages,
        takesPdf: this.takesPdf,
        caches: asksToCache(access.kind, this.settings.model),
      }),
      ...(output ? { output: outputOf(output) } : {}),
      maxRetries: 0,
      maxOutputTokens,
      abortSignal: AbortSignal.any([signal, silence.signal]),
    };
    let result: SdkResult;
    try {
      result = await (sink ? this.streamed(request, asking, sink, silence) : this.whole(request, asking));
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (silence.signal.aborted) {
        throw new ModelError('model_timeout', `no answer within ${timeoutMs} ms`, { cause: error });
      }
      // The package finds nothing to read where this has read it all.
      if (exchange.answer?.is === 'answer') return completionOf(exchange, name);
      if (exchange.answer?.is === 'unreadable') throw unreadable(exchange, name, exchange.answer.why);
      const failed = modelErrorOf(error, reading.secrets);
      // It reports an error, and what that has used; or it was written and paid for, and cannot be read.
      if (exchange.usage) failed.unread.push(unreadOf(exchange, name, 'the endpoint reports an error'));
      else if (sink && failed.code === 'model_malformed') throw unreadable(exchange, name, failed.message);
      throw failed;
    } finally {
      silence.end();
    }
    return exchange.answer === null ? sdkAnswer(result, exchange, name) : completionOf(exchange, name);
  }

  private async whole(request: Asked, { access, exchange, reading }: Asking): Promise<SdkResult> {
    const { model, fetch } = this.settings;
    return generateText({
      model: await providerModel(access, model, answerFetch(exchange, reading, fetch), fetch),
      ...request,
    });
  }

  private async streamed(
    request: Asked,
    { access, exchange, reading }: Asking,
    sink: TextSink,
    silence: Silence,
  ): Promise<SdkResult> {
    const { model, fetch, stream } = this.settings;
    const onText = (text: string): void => sink.write(text);
    const listening = { onPiece: () => silence.broken(), onText };
    const asking = streamedFetch(exchange, reading, stream, listening);
    const { stream: parts } = streamText({
      model: await providerModel(access, model, asking, fetch),
      ...request,
      // It is thrown below. Without this, the SDK prints it.
      onError: () => undefined,
    });
    return readSdkStream(parts, onText);
  }
}

type Asked = SdkRequest & { output?: OutputInterface<string, string, never> } & {
  maxRetries: number;
  maxOutputTokens: number;
  abortSignal: AbortSignal;
};

interface Asking {
  access: ProviderAccess;
  exchange: Exchange;
  reading: Reading;
}

/** Schemas that the endpoint has refused, so that not every turn is refused once. */
class RefusedSchemas {
  private readonly known = new Set<string>();

  has(schema: Record<string, unknown>): boolean {
    return this.known.has(JSON.stringify(schema));
  }

  add(schema: Record<string, unknown>): void {
    if (this.known.size >= maxRefused) this.known.clear();
    this.known.add(JSON.stringify(schema));
  }
}

/** Aborts when the model has been silent for too long: before a whole answer, or between two pieces of a stream. */
class Silence {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;

  constructor(longestMs: number) {
    this.timer = setTimeout(() => this.controller.abort(), longestMs);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  broken(): void {
    this.timer.refresh();
  }

  end(): void {
    clearTimeout(this.timer);
  }
}

/** Others cache by themselves, or refuse to be asked. */
function asksToCache(kind: ProviderAccess['kind'], model: string): boolean {
  return kind === 'anthropic' || (kind === 'amazon-bedrock' && /claude|nova/.test(model));
}

/** Some endpoints answer whole answers only, or take no schema, or not every one. They name what they refuse. */
function refuses(error: unknown, what: RegExp): boolean {
  if (!(error instanceof ModelError) || error.code !== 'model_rejected') return false;
  return APICallError.isInstance(error.cause) && what.test(error.cause.responseBody ?? '');
}

/** The SDK asks for it; the answer is read and checked by the loop. */
function outputOf(schema: Record<string, unknown>): OutputInterface<string, string, never> {
  return {
    ...Output.text(),
    name: 'object',
    responseFormat: Promise.resolve({ type: 'json', schema }),
  };
}

/** @throws ModelError `model_malformed`, with what the answer has used */
function completionOf(exchange: Exchange, name: string): Completion {
  const { answer, inputChars } = exchange;
  if (answer?.is !== 'answer') {
    throw unreadable(
      exchange,
      name,
      answer?.is === 'unreadable' ? answer.why : 'it reports an error that it does not name',
    );
  }
  const { is: _is, usage, thought, ...content } = answer;
  const outputChars = content.text.length + JSON.stringify(content.tool_calls).length;
  const thoughts = thoughtsOf(name, content.tool_calls, thought === undefined ? [] : [{ text: thought, options: {} }]);
  return { ...content, ...thoughts, model: name, ...usageOf(usage, inputChars, outputChars) };
}

function unreadable(exchange: Exchange, name: string, why: string): ModelError {
  const failed = new ModelError('model_malformed', `the answer could not be read: ${why}`);
  failed.unread.push(unreadOf(exchange, name, why));
  return failed;
}

function unreadOf({ usage, inputChars, outputChars, excerpt }: Exchange, model: string, why: string): UnreadAnswer {
  return { model, why, excerpt, ...usageOf(usage, inputChars, outputChars) };
}
