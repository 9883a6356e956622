import type { ToolCall } from '../model/model.js';

/** What the model, and whoever looks at the turn, reads of a call that a rehearsal does not make. */
export interface RehearsedResult {
  rehearsal: true;
  executed: false;
  note: string;
  tool: string;
  arguments: unknown;
  /** Outside a rehearsal a person would be asked first. */
  needs_approval?: true;
}

export function rehearsedResult(call: ToolCall, needsApproval: boolean): RehearsedResult {
  return {
    rehearsal: true,
    executed: false,
    note: 'not executed: rehearsal. The event is replayed without delivery, so nothing is changed.',
    tool: call.name,
    arguments: call.arguments,
    ...(needsApproval ? { needs_approval: true } : {}),
  };
}
