import type { ToolGrade } from '#libs/contracts';
import { storableJson } from '#libs/database';
import { type JsonValue, sanitizeValue, type SanitizerReport } from '#libs/sanitizer';
import type { Step } from '../../entities/turn.entity.js';
import type { ToolCall } from '../model/model.js';
import type { CallBegun, StepLog } from '../steps/step-log.js';
import { digestOf } from '../tools/bound-credentials.js';
import { failure, type ReadDocument, type ToolFailure } from '../tools/tool.js';
import type { CheckedCall } from '../tools/turn-powers.js';
import { type CallGuard, callKey } from './call-guard.js';
import type { ModelCallContent, OpenStep } from './replay.js';

/** Far beyond what a model is shown. It bounds the work on results that are mostly structure. */
const shape = { maxDepth: 64, maxEntries: 100_000 };

/**
 * Sanitises a result from outside for the model and for people who view the turn.
 * @param maxChars of each text: as much as is kept of a result
 */
export function cleanResult(result: unknown, maxChars: number): { result: JsonValue; sanitized: Sanitized | null } {
  const { value, report } = sanitizeValue(result, { ...shape, maxChars, maxLines: maxChars });
  const { counts, cut } = report;
  return { result: value, sanitized: cut > 0 || Object.keys(counts).length > 0 ? { counts, cut } : null };
}

/** How often each rule acted, and how many characters or entries were cut. */
type Sanitized = Pick<SanitizerReport, 'counts' | 'cut'>;

interface ShownResult {
  /** What the model reads. */
  shown: unknown;
  /** The whole result as text when the model was shown less; `read_result` reads from it. */
  full: string | null;
}

/**
 * The result as the model is shown it: whole, or its head, its tail and a handle for the rest.
 * @param handle for `read_result`
 * @param limits in characters of its JSON
 */
export function shownResult(result: unknown, handle: string, limits: { shown: number; kept: number }): ShownResult {
  const text = storableJson(result ?? null);
  if (text.length <= limits.shown) return { shown: result ?? null, full: null };
  const full = text.slice(0, limits.kept);
  const head = Math.floor(limits.shown * 0.6);
  const tail = Math.floor(limits.shown * 0.2);
  return {
    shown: {
      truncated: true,
      handle,
      chars: full.length,
      head: full.slice(0, head),
      tail: full.slice(-tail),
      note: `Call read_result with this handle and an offset from ${head} on to read the rest.`,
    },
    full,
  };
}

/** Of a result, to tell it from another one. */
export function hashOf(result: unknown): string {
  return digestOf(storableJson(result ?? null));
}

/** Where the results of a turn's calls are kept, counted and reported. */
export interface CallRecord {
  guard: CallGuard;
  log: StepLog;
  limits: { shown: number; kept: number };
  /** Called after each call, for the timeline. */
  onCall: (tool: string, outcome: string, durationMs: number, report?: CallReport) => void;
}

/** The step has all documents that a call read, an entry of the timeline these. */
export const namedDocuments = 20;

/** What people have to know about a call, and the documents that its result is from. */
export interface CallReport {
  note: string | null;
  documents: ReadDocument[];
}

/** A call that passed its checks. */
export interface PlannedCall extends CheckedCall {
  call: ToolCall;
  ref: string;
}

/** The audit row of a call whose tool is known. */
export function auditOf({ call, tool, grade, ref }: PlannedCall): Omit<CallBegun, 'outcome'> {
  return {
    call_ref: ref,
    tool: call.name,
    source: tool.source,
    tool_id: tool.id,
    grade,
    arguments_sha256: digestOf(callKey(call)),
    code: null,
    callback_sha256: null,
    hosts: null,
  };
}

/** Records a call that is not made, with the reason as its result. */
export function refuseCall(log: StepLog, step: OpenStep, call: ToolCall, refusal: ToolFailure): void {
  const { code } = refusal.error;
  const before = step.begun.get(call.id);
  step.results.set(call.id, refusal);
  log.add(
    'tool_result',
    { call_id: call.id, name: call.name, result: refusal },
    before === undefined
      ? {
          begun: {
            call_ref: `${step.seq}.${call.id}`,
            tool: call.name.slice(0, 100),
            source: 'none',
            tool_id: null,
            grade: 'none',
            arguments_sha256: digestOf(callKey(call)),
            outcome: 'refused',
            code,
            callback_sha256: null,
            hosts: null,
          },
        }
      : { settled: { seq: before.seq, outcome: 'error', code, duration_ms: null } },
  );
}

/** A rehearsal changes nothing. The model is shown what would have been called. */
export function rehearseCall(record: CallRecord, step: OpenStep, planned: PlannedCall): void {
  const { call, asks } = planned;
  const handle = `rehearsed_${step.seq}_${step.results.size}`;
  const { shown, full } = shownResult(rehearsedResult(call, asks !== null), handle, record.limits);
  notMade(record, step, planned, { result: shown, rehearsal: true, ...(full === null ? {} : { handle, full }) });
}

/** @param before the content of the result that the same call had in the turn that is tried again; null: it had none */
export function repeatCall(
  record: CallRecord,
  step: OpenStep,
  planned: PlannedCall,
  before: Step['content'] | null,
): void {
  if (!before) {
    const result = failure('not_recorded', 'There is no recorded result of this call, and it is not made.');
    return notMade(record, step, planned, { result, missed: true });
  }
  const { call_id: _id, name: _name, result_hash: _hash, result, ...rest } = before;
  notMade(record, step, planned, { ...rest, result, recorded: true });
}

/** @param facts of the step, `result` among them */
function notMade(
  { log, onCall, guard }: CallRecord,
  step: OpenStep,
  planned: PlannedCall,
  facts: { result: unknown; [name: string]: unknown },
): void {
  const { call } = planned;
  const resultHash = hashOf(facts.result);
  step.results.set(call.id, facts.result);
  guard.ended(call, resultHash);
  log.add(
    'tool_result',
    { call_id: call.id, name: call.name, ...facts, result_hash: resultHash },
    { begun: { ...auditOf(planned), outcome: 'rehearsed' } },
  );
  onCall(call.name, 'rehearsed', 0);
}

/** The result of a call that a rehearsal did not make, for the model and for people who view the turn. */
interface RehearsedResult {
  rehearsal: true;
  executed: false;
  note: string;
  tool: string;
  arguments: unknown;
  /** Outside a rehearsal, a person would be asked first. */
  needs_approval?: true;
}

function rehearsedResult(call: ToolCall, needsApproval: boolean): RehearsedResult {
  return {
    rehearsal: true,
    executed: false,
    note: 'not executed: rehearsal. Nothing is sent and nothing is changed.',
    tool: call.name,
    arguments: call.arguments,
    ...(needsApproval ? { needs_approval: true } : {}),
  };
}

/** What the calls of an earlier turn answered, for a turn that is tried on its message: nothing is called again. */
export class RecordedCalls {
  private readonly left = new Map<string, Step['content'][]>();

  /** @param own steps that an earlier claim of the tried turn has stored: those answers are taken */
  constructor(recorded: Step[], own: Step[]) {
    for (const { key, content } of resultsIn(recorded)) {
      this.left.set(key, [...(this.left.get(key) ?? []), content]);
    }
    for (const { key } of resultsIn(own)) this.left.get(key)?.shift();
  }

  /** The content of its result; null: the earlier turn did not make this call, or less often. */
  take(call: ToolCall): Step['content'] | null {
    return this.left.get(callKey(call))?.shift() ?? null;
  }
}

function resultsIn(steps: Step[]): { key: string; content: Step['content'] }[] {
  let calls: ToolCall[] = [];
  return steps.flatMap(({ kind, content }) => {
    if (kind === 'model_call') calls = (content as ModelCallContent).tool_calls;
    if (kind !== 'tool_result') return [];
    const call = calls.find(({ id }) => id === content['call_id']);
    return call ? [{ key: callKey(call), content }] : [];
  });
}

/**
 * Splits the calls of one step into groups that run in parallel: adjacent reads, at most `parallel` of them. A call
 * that changes something runs alone and in its place, since the model may depend on the order.
 */
export function inChunks<T extends { grade: ToolGrade }>(calls: T[], parallel: number): T[][] {
  const chunks: T[][] = [];
  for (const call of calls) {
    const last = chunks.at(-1);
    const joins = call.grade === 'read' && last?.[0]?.grade === 'read' && last.length < parallel;
    if (joins) last.push(call);
    else chunks.push([call]);
  }
  return chunks;
}
