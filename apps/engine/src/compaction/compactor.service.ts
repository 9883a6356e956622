import type { ContentTrust } from '#libs/contracts';
import { sanitize } from '#libs/sanitizer';
import { Inject, Injectable } from '@nestjs/common';
import type { Claim } from '../entities/turn.entity.js';
import { type Completion, type Model, ModelError } from '../model/model.js';
import type { ModelPrices } from '../model/model-prices.js';
import type { ModelSpending } from '../model/model-spending.js';
import type { WindowTurn } from '../prompt/prompt.js';
import { type EngineSettings, SETTINGS } from '../settings.js';
import type { StepLog } from '../steps/step-log.js';
import type { LearnedWindow } from './model-windows.js';
import type { ShownSummary } from './session-summary.entity.js';
import { type MadeSummary, SummaryRepository } from './summary.repository.js';
import { summaryPrompt } from './summary-prompt.js';

/** What a turn is shown of what came before it. */
export interface Memory {
  past: WindowTurn[];
  summary: ShownSummary | null;
}

export interface CompactionInput {
  claim: Claim;
  model: Model;
  memory: Memory;
  /** Of the messages that the turn answers. */
  trust: ContentTrust;
  /** Characters of what a call sends with this memory. */
  charsOf: (memory: Memory) => number;
  window: LearnedWindow;
  log: StepLog;
  prices: ModelPrices;
  spending: ModelSpending;
  /** Reserves the day's budget for a call of so many characters; null: no limit of the day holds. */
  reserve: ((chars: number) => Promise<boolean>) | null;
  signal: AbortSignal;
  /** For the timeline. @param why it was left out; null: done */
  onCompacted: (turns: number, why: string | null) => void;
}

/** Calls for one turn: an old session without a summary takes more than one. */
const maxCalls = 4;

/** Puts older turns of a session into its summary once there are too many, or too long ones. */
@Injectable()
export class Compactor {
  constructor(
    private readonly summaries: SummaryRepository,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /**
   * Half of the window stays, so that the summary, and with it what a provider can cache, changes only now and then.
   * Where the model does not give a summary, the turn goes on without: it is shown the newest turns.
   * @throws ModelError while the model is away, LeaseLost, or the signal's reason
   */
  async compact(input: CompactionInput): Promise<Memory> {
    const { TURN_WINDOW: window } = this.settings;
    let { memory } = input;
    let atOnce = Math.max(1, window);
    for (let calls = 0; calls < maxCalls && input.model.isRehearsal !== true; calls += 1) {
      const count = this.surplus(memory, input);
      if (count === 0) break;
      const older = memory.past.slice(0, Math.min(count, atOnce));
      const made = await this.summarise(input, older, memory.summary);
      if (made === 'too_long') atOnce = Math.floor(older.length / 2);
      else if (made === null) break;
      else memory = { past: memory.past.slice(older.length), summary: made };
      if (atOnce === 0) break;
    }
    return window === 0 ? { ...memory, past: [] } : { ...memory, past: memory.past.slice(-window) };
  }

  /** How many of the oldest turns are too many. */
  private surplus(memory: Memory, { charsOf, window }: CompactionInput): number {
    const { past } = memory;
    const { TURN_WINDOW: most } = this.settings;
    if (most > 0 && past.length > most) return past.length - Math.floor(most / 2);
    const isTooLong = window.chars !== null && past.length > 1 && charsOf(memory) > window.chars;
    return isTooLong ? Math.ceil(past.length / 2) : 0;
  }

  private async summarise(
    input: CompactionInput,
    older: WindowTurn[],
    before: ShownSummary | null,
  ): Promise<ShownSummary | 'too_long' | null> {
    const { SESSION_SUMMARY_CHARS: maxChars, TURN_WINDOW_CHARS: textChars } = this.settings;
    const through = older.at(-1);
    if (!through) return null;
    const prompt = summaryPrompt(older, before, { trust: input.trust, maxChars, textChars });
    const turns = (before?.turns ?? 0) + older.length;
    if (!prompt) {
      const kept = { text: before?.text ?? '', turns, content_trust: before?.content_trust ?? 'own', model: 'none' };
      return this.stored(input, older, before, { ...kept, through_turn_id: through.id });
    }
    const chars = JSON.stringify(prompt.messages).length;
    if (input.reserve && !(await input.reserve(chars))) return leftOut(input, older, 'the budget of the day');
    const startedMs = performance.now();
    let answer: Completion;
    try {
      answer = await input.model.complete(prompt.messages, [], input.signal);
      input.spending.ended('ok', performance.now() - startedMs);
    } catch (error) {
      input.spending.ended(error instanceof ModelError ? error.code : 'aborted', performance.now() - startedMs);
      if (!(error instanceof ModelError) || error.away) throw error;
      if (error.code !== 'context_length') return leftOut(input, older, error.message);
      await input.window.refused(chars, error.message);
      return 'too_long';
    }
    const { model, input_tokens, output_tokens, finish_reason } = answer;
    const spent = {
      model,
      input_tokens,
      output_tokens,
      cost_micros: input.prices.costMicros(model, input_tokens, output_tokens),
    };
    input.spending.spent(spent);
    const text = sanitize(answer.text).text.trim().slice(0, maxChars);
    const step = { text, tool_calls: [], model, finish_reason, discarded: 'summary', summarised_turns: older.length };
    input.log.add('model_call', step, { spent, durationMs: performance.now() - startedMs });
    const isWhole = answer.refusal === undefined && ['stop', 'length', 'other'].includes(finish_reason);
    if (!isWhole || text === '') return leftOut(input, older, `the model gave none (${finish_reason})`);
    const made = { text, turns, content_trust: prompt.trust, through_turn_id: through.id, model };
    return this.stored(input, older, before, made);
  }

  private async stored(
    input: CompactionInput,
    older: WindowTurn[],
    before: ShownSummary | null,
    made: MadeSummary,
  ): Promise<ShownSummary | null> {
    if (!(await this.summaries.store(input.claim, before, made))) {
      return leftOut(input, older, 'somebody changed it meanwhile');
    }
    input.onCompacted(older.length, null);
    return { ...made, revision: (before?.revision ?? 0) + 1 };
  }
}

function leftOut({ onCompacted }: CompactionInput, older: WindowTurn[], why: string): null {
  onCompacted(older.length, why);
  return null;
}
