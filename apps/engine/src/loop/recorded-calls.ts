import type { ToolCall } from '../model/model.js';
import type { Step } from '../entities/turn.entity.js';
import { callKey } from './call-guard.js';
import type { ModelCallContent } from './replay.js';

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
