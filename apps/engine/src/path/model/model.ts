import type { ProjectScope } from '#libs/contracts';
import type { JSONValue } from 'ai';
import type { ListPrice } from './model-settings.js';

/** The event that a turn answers, as far as the rehearsal model's templates may refer to it. */
export interface ModelEvent {
  sender: string;
  message: string;
  event_type: string;
  thread_id: string | null;
  metadata: Record<string, unknown>;
}

/** A call that the model asks for. `arguments` is as `readArguments` gives it. */
export interface ToolCall {
  id: string;
  name: string;
  arguments: unknown;
  /** What the model wants back with the call, such as a signature. No other model is shown it. */
  mark?: CallMark;
}

export interface CallMark {
  /** The provider and model that it came from. */
  from: string;
  options: Record<string, Record<string, JSONValue | undefined>>;
}

/**
 * What a model thought before it asked for calls, as its package gave it: often sealed or signed. It wants it back with
 * their results, unchanged; no other model is shown it.
 */
export interface Thoughts {
  /** The provider and model that it came from. */
  from: string;
  parts: { text: string; options: CallMark['options'] }[];
}

/** A content part that is an image. */
export interface ImagePart {
  type: 'image';
  mediaType: string;
  /** Base64. */
  data: string;
}

/** An image or a PDF of the event, as it came. */
export interface AttachedFile {
  /** Of the attachment. */
  id: string;
  mediaType: string;
  /** Base64. */
  data: string;
}

export type ModelMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string; event?: ModelEvent; files?: AttachedFile[] }
  | { role: 'assistant'; content: string; tool_calls: ToolCall[]; thoughts?: Thoughts }
  | { role: 'tool'; call_id: string; name: string; result: unknown; images?: ImagePart[] };

/** A tool as the model is shown it; `parameters` is a JSON Schema. */
export interface ToolDescription {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

export interface Completion {
  text: string;
  tool_calls: ToolCall[];
  /** Absent: none that it wants back. */
  thoughts?: Thoughts;
  input_tokens: number;
  output_tokens: number;
  /** Of the input, what the provider read from its cache, and what it put there. Absent: none, or it does not say. */
  cached_tokens?: number;
  cache_write_tokens?: number;
  /** What the provider lists for it. Absent: nothing is known. */
  listPrice?: ListPrice;
  /** The endpoint reported no usable number of tokens. */
  estimated?: boolean;
  /** The model that answered. */
  model: string;
  finish_reason: FinishReason;
  /** The model's explanation when it refuses to answer. Absent: it does not refuse. */
  refusal?: string;
  /** Answers before this one that could not be read, of the models that this one replaces. */
  unread?: UnreadAnswer[];
  /** Why those before it in the agent's chain did not answer, in their order. Absent: the first one answered. */
  insteadOf?: PassedModel[];
}

/** A model, with one of its keys, that gave no answer, so that the next in the chain was asked. */
export interface PassedModel {
  model: string;
  /** The credential that holds the key; null: the installation's, or none. */
  key: string | null;
  code: ModelErrorCode;
  /** In words, for people. */
  why: string;
}

/** An answer that could not be read. It was made and paid for, so it counts. */
export interface UnreadAnswer {
  model: string;
  input_tokens: number;
  output_tokens: number;
  cached_tokens?: number;
  cache_write_tokens?: number;
  listPrice?: ListPrice;
  estimated: boolean;
  why: string;
  /** The beginning of what the endpoint sent. */
  excerpt: string;
}

/** The model's answer when it has nothing to say. An empty answer could also be a fault. */
export const noReplyWord = 'NO_REPLY';

/** Why a call ended, in the AI SDK's terms. */
export type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'interrupted' | 'other';

/** `context_length`: the conversation is too long for it. */
export type ModelErrorCode =
  | 'model_unavailable'
  | 'model_unauthorized'
  | 'model_timeout'
  | 'model_rejected'
  | 'model_malformed'
  | 'context_length';

const awayCodes: ReadonlySet<ModelErrorCode> = new Set(['model_unavailable', 'model_unauthorized', 'model_timeout']);

/**
 * Whose failure it is. `key`: of the key that was used (refused, no credit, its quota). `model`: of this model.
 * `provider`: of all its models. `request`: the same request fails anywhere.
 */
export type ModelBlame = 'key' | 'model' | 'provider' | 'request';

interface ModelErrorFacts extends ErrorOptions {
  permanent?: boolean;
  /** As the endpoint asks for it, in ms. */
  retryAfterMs?: number | null;
  blame?: ModelBlame;
}

const usualBlame: Readonly<Record<ModelErrorCode, ModelBlame>> = {
  model_unavailable: 'provider',
  model_unauthorized: 'key',
  model_timeout: 'model',
  model_rejected: 'request',
  model_malformed: 'model',
  context_length: 'request',
};

/** The model gave no answer. `permanent`: repeating the request for the same turn cannot help. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  /** What was answered, and used tokens, all the same. */
  readonly unread: UnreadAnswer[] = [];
  readonly permanent: boolean;
  readonly retryAfterMs: number | null;
  readonly blame: ModelBlame;

  constructor(
    readonly code: ModelErrorCode,
    message: string,
    { permanent = false, retryAfterMs = null, blame = usualBlame[code], ...options }: ModelErrorFacts = {},
  ) {
    super(message, options);
    this.permanent = permanent;
    this.retryAfterMs = retryAfterMs;
    this.blame = blame;
  }

  /** The same conversation may succeed once the model is available again. */
  get away(): boolean {
    return awayCodes.has(this.code);
  }
}

/** Follows what a model writes, while it writes it. The completion is what counts. */
export interface TextSink {
  write(text: string): void;
  /** What was written is void: another model, or the same once more, answers instead. */
  restart(): void;
}

/** How a call is made, beyond what it says. */
export interface CallOptions {
  sink?: TextSink;
  /** The JSON Schema of the answer, an object. The model may not hold to it. */
  output?: Record<string, unknown>;
}

export interface Model {
  /** Absent: it takes text only, and images are left to the text that names them. */
  readonly takesImages?: boolean;
  /** Absent: PDFs are left to `read_file`, which gives their text. */
  readonly takesPdf?: boolean;
  /** It only rehearses, and cannot summarise. */
  readonly isRehearsal?: boolean;
  /** As agents write it; absent where there is one model only. */
  readonly name?: string;
  /** What its provider lists for it; absent: nothing is known. */
  readonly listPrice?: ListPrice | null;
  /** @throws ModelError, or the signal's reason when it was aborted from outside */
  complete(
    messages: ModelMessage[],
    tools: ToolDescription[],
    signal: AbortSignal,
    options?: CallOptions,
  ): Promise<Completion>;
}

/** Provides the model that an agent runs on. */
export interface Models {
  /**
   * @param names the agent's own model, and those that are asked when it gives no answer; null: not named
   * @throws ModelError `model_rejected` where a name refers to nothing
   */
  forTurn(owner: ProjectScope, names: ModelNames): Promise<Model>;
}

export interface ModelNames {
  model: string | null;
  fallbacks: string[];
}

/** Injection token of `Models`. */
export const MODELS = Symbol('Models');
