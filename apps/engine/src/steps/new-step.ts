import type { ToolCallRecord } from './tool-call.entity.js';
import type { Step } from './step.entity.js';

/** The usage of one model call. */
export interface Spent {
  model: string;
  input_tokens: number;
  output_tokens: number;
  cost_micros: number;
}

/** The audit row of a call that begins or is refused at once. */
export type CallBegun = Pick<
  ToolCallRecord,
  | 'call_ref'
  | 'tool'
  | 'source'
  | 'tool_id'
  | 'grade'
  | 'arguments_sha256'
  | 'outcome'
  | 'code'
  | 'callback_sha256'
  | 'hosts'
>;

/** How a call ended that began at step `seq`. */
export type CallSettled = Pick<ToolCallRecord, 'seq' | 'outcome' | 'code' | 'duration_ms'>;

/** A step to be stored, with the other changes of the same statement. */
export interface NewStep extends Pick<Step, 'seq' | 'kind' | 'content' | 'tokens' | 'duration_ms'> {
  spent?: Spent;
  begun?: CallBegun;
  settled?: CallSettled;
}
