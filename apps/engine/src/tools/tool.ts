import type { ToolGrade, ToolsetTool, TrustGrade } from '#libs/contracts';
import { toolGrades } from '#libs/contracts';
import type { ToolDescription } from '../model/model.js';

/** What the model is told of a call that gave nothing: a code and a short text, never an exception's message. */
export interface ToolFailure {
  error: { code: string; message: string };
}

/** A file that came with the event, as its adapter describes it; null: it cannot be fetched. */
export interface TurnAttachment {
  id: string;
  name: string;
  contentType: string;
  fetchRef: string | null;
}

/** The turn that calls: whose it is, who caused it, and how far that sender is trusted. */
export interface TurnScope {
  organizationId: string;
  projectId: string;
  turnId: string;
  receiptId: string;
  appId: string;
  sessionId: string | null;
  agentId: string;
  contactId: string | null;
  /** As it claims. */
  sender: string;
  trust: TrustGrade;
  /** The sending system was authenticated, and its sender is admitted: the turn may do more than read its own conversation. */
  trusted: boolean;
  /** A replay without delivery: nothing is called that changes anything. */
  rehearsal: boolean;
  /** Of its message, and of those that it answers together with it. */
  attachments: TurnAttachment[];
  /** Who asked for it, `contact:<id>` or `key:<id>`: they decide over none of its calls. */
  startedBy: string[];
}

/** One call in flight. */
export interface CallSite {
  turn: TurnScope;
  /** Which call of the turn; the same again when it is repeated after a crash. */
  ref: string;
  /** The most that this call may do: what the agent may, or what a person approved. */
  mayDo: ToolGrade;
  /** The turn has read untrusted content. */
  tainted: boolean;
  /** The only hosts that the call may reach; null: any. */
  hosts: readonly string[] | null;
  /** Lets a Python tool ask the engine for HTTP while this call runs; only its hash is stored. */
  callbackToken: string;
  signal: AbortSignal;
}

/** A capability an agent may call. */
export interface Tool extends ToolDescription {
  source: ToolsetTool['source'];
  /** The slug of the Skill that gives it; null: the agent has it by itself. */
  skill: string | null;
  /** The registry's; null for a built-in that the agent has without a Skill. */
  id: string | null;
  /** Of the registry's definition, which changes with it; null for a built-in, which changes with the release alone. */
  pin: string | null;
  /** The least that a call can change. */
  least: ToolGrade;
  /** Its results were written by somebody outside, so they are sanitised. */
  external: boolean;
  /** Whether a result is untrusted content; absent: every one of an external tool is. */
  untrusted?(result: unknown, call: CallSite): boolean | Promise<boolean>;
  /** What of a call that reads is beyond the turn of an untrusted sender, in words; null: nothing. */
  beyond(args: Record<string, unknown>, hosts: readonly string[]): string | null;
  /** How much a call with these (valid) arguments can change. */
  grade(args: Record<string, unknown>): ToolGrade;
  /** True when a second call with the same arguments does no more than the first. */
  idempotent(args: Record<string, unknown>): boolean;
  /** What of a result tells it from that of the same call before; absent: all of it. */
  compared?(result: unknown): unknown;
  /** Tools that the model may call from then on, of a result of a search for tools. */
  reveals?(result: unknown): string[];
  /** Never throws for what the other side does; only for the signal. */
  run(args: Record<string, unknown>, call: CallSite): Promise<unknown>;
}

export function failure(code: string, message: string): ToolFailure {
  return { error: { code, message } };
}

export function isFailure(result: unknown): result is ToolFailure {
  return (
    typeof result === 'object' &&
    result !== null &&
    'error' in result &&
    typeof (result as { error: { code?: unknown } | null }).error?.code === 'string'
  );
}

/** Whether a call of this grade does more than `most`. */
export function exceeds(grade: ToolGrade, most: ToolGrade): boolean {
  return toolGrades.indexOf(grade) > toolGrades.indexOf(most);
}
