/** The event a turn answers, as far as the rehearsal model's templates may name it. */
export interface ModelEvent {
  sender: string;
  message: string;
  event_type: string;
  thread_id: string | null;
  metadata: Record<string, unknown>;
}

/** One call the model asks for. `arguments` is parsed JSON, or the text as it came where that is no JSON. */
export interface ToolCall {
  id: string;
  name: string;
  arguments: unknown;
}

export type ModelMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string; event?: ModelEvent }
  | { role: 'assistant'; content: string; tool_calls: ToolCall[] }
  | { role: 'tool'; call_id: string; name: string; result: unknown };

/** A tool as the model is told of it; `parameters` is a JSON Schema. */
export interface ToolDescription {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

export interface Completion {
  text: string;
  tool_calls: ToolCall[];
  input_tokens: number;
  output_tokens: number;
  /** Which model answered. */
  model: string;
  finish_reason: FinishReason;
  /** What the model says instead of an answer, where it refuses to give one. Absent: it does not. */
  refusal?: string;
}

/** What a model answers that has nothing to say: an empty answer may as well be a fault of it. */
export const noReplyWord = 'NO_REPLY';

/** Why one call ended, as the AI SDK names it. */
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

/** The model gave no answer. `permanent`: asking again with the same turn cannot help. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  constructor(
    readonly code: ModelErrorCode,
    message: string,
    readonly permanent = false,
    /** What the endpoint asked for with `Retry-After`, in ms. */
    readonly retryAfterMs: number | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** The model may be there again later, for the very same conversation. */
  get away(): boolean {
    return awayCodes.has(this.code);
  }
}

export interface Model {
  /** @throws ModelError, or the signal's reason when it was aborted from outside */
  complete(messages: ModelMessage[], tools: ToolDescription[], signal: AbortSignal): Promise<Completion>;
}

/** Gives the model an agent runs on. */
export interface Models {
  /**
   * @param name the agent's own model; null for the installation's
   * @param fallback asked when that one gives no answer; null for the installation's, which may have none
   */
  forTurn(name: string | null, fallback: string | null): Model;
}

/** Injection token of `Models`. */
export const MODELS = Symbol('Models');
