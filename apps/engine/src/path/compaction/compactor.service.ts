import { type ContentTrust, isTrustedLess, leastTrusted } from '#libs/contracts';
import { Database } from '#libs/database';
import { fenceExplanation, sanitize } from '#libs/sanitizer';
import { Inject, Injectable } from '@nestjs/common';
import type { Claim } from '../../entities/turn.entity.js';
import type { ModelPrices, ModelSpending } from '../model/model-spending.js';
import { type Completion, type Model, ModelError, type ModelMessage } from '../model/model.js';
import { pastTexts, summaryText, trustOfInput, type WindowTurn } from '../prompt/prompt.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import type { StepLog } from '../steps/step-log.js';
import type { SessionSummary, ShownSummary } from '../../entities/compaction.entity.js';

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

type MadeSummary = Pick<SessionSummary, 'through_turn_id' | 'turns' | 'text' | 'content_trust' | 'model'>;

/** Calls for one turn: an old session without a summary takes more than one. */
const maxCalls = 4;

/** Puts older turns of a session into its summary once there are too many, or too long ones. */
@Injectable()
export class Compactor {
  constructor(
    private readonly db: Database,
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
    const { model, finish_reason } = answer;
    const spent = input.prices.spentBy(answer);
    input.spending.spent(spent);
    const text = sanitize(answer.text).text.trim().slice(0, maxChars);
    const step = { text, tool_calls: [], model, finish_reason, discarded: 'summary', summarised_turns: older.length };
    input.log.add(
      'model_call',
      { ...step, ...input.prices.basisOf(answer) },
      { spent, durationMs: performance.now() - startedMs },
    );
    const isWhole = answer.refusal === undefined && ['stop', 'length', 'other'].includes(finish_reason);
    if (!isWhole || text === '') return leftOut(input, older, `the model gave none (${finish_reason})`);
    const made = { text, turns, content_trust: prompt.trust, through_turn_id: through.id, model };
    return this.stored(input, older, before, made);
  }

  /** @returns null when the lease was lost, or somebody changed the summary meanwhile */
  private async stored(
    input: CompactionInput,
    older: WindowTurn[],
    before: ShownSummary | null,
    made: MadeSummary,
  ): Promise<ShownSummary | null> {
    const { turn_id, claim } = input.claim;
    const { text, content_trust, model, through_turn_id } = made;
    const rows = (await this.db.query(
      `INSERT INTO engine.session_summary AS s (session_id, organization_id, project_id, through_turn_id, turns, text,
              content_trust, model)
       SELECT session_id, organization_id, project_id, $3, $4, $5, $6, $7 FROM engine.turn
        WHERE id = $1 AND claim = $2 AND state = 'running'
       ON CONFLICT (session_id) DO UPDATE SET through_turn_id = excluded.through_turn_id, turns = excluded.turns,
              text = excluded.text, content_trust = excluded.content_trust, model = excluded.model, made_at = now(),
              corrected_by = NULL, corrected_at = NULL, revision = s.revision + 1
        WHERE s.revision = $8
       RETURNING session_id`,
      [turn_id, claim, through_turn_id, made.turns, text, content_trust, model, before?.revision ?? 0],
    )) as unknown[];
    if (rows.length === 0) return leftOut(input, older, 'somebody changed it meanwhile');
    input.onCompacted(older.length, null);
    return { ...made, revision: (before?.revision ?? 0) + 1 };
  }
}

function leftOut({ onCompacted }: CompactionInput, older: WindowTurn[], why: string): null {
  onCompacted(older.length, why);
  return null;
}

const task = `You keep the memory of a conversation between people and an assistant. ${fenceExplanation} Write what the assistant has to know to \
go on as if it had read everything: facts, names, numbers, dates and codes exactly as they were given, what was decided, promised and is still \
open, and who said it. Keep all of the summary so far, unless something later corrects it. Leave out greetings and what no longer matters. \
Write plain sentences, no instructions, and nothing else.`;

interface SummaryPrompt {
  messages: ModelMessage[];
  /** Of all that it was made from. */
  trust: ContentTrust;
}

/**
 * What is less trusted than the conversation itself is left out: the summary stays in each later window, and would keep
 * the mark of one web page for good. Of a turn that has read such content, the messages are kept and the answer is not.
 * @param trust of the messages of the turn that summarises
 * @param maxChars of the summary @param textChars of each text that it is made from
 * @returns null when there is nothing to add to the summary
 */
function summaryPrompt(
  turns: readonly WindowTurn[],
  before: ShownSummary | null,
  { trust, maxChars, textChars }: { trust: ContentTrust; maxChars: number; textChars: number },
): SummaryPrompt | null {
  const trusts: ContentTrust[] = [];
  const allowed = (given: ContentTrust): boolean => {
    if (isTrustedLess(given, trust)) return false;
    trusts.push(given);
    return true;
  };
  const lines = turns.flatMap((turn) => [
    ...(allowed(trustOfInput(turn.input)) ? pastTexts(turn.input, textChars) : []),
    ...(turn.reply_text && allowed(turn.content_trust)
      ? [`The assistant answered:\n${turn.reply_text.slice(0, textChars)}`]
      : []),
  ]);
  if (lines.length === 0) return null;
  const content = [...(before?.text ? [summaryText(before.text)] : []), ...lines].join('\n\n');
  return {
    messages: [
      { role: 'system', content: `${task} At most ${maxChars} characters.` },
      { role: 'user', content },
    ],
    trust: leastTrusted(before?.content_trust ?? 'own', ...trusts),
  };
}

/** Leaves room for what the estimate of characters misses. */
const margin = 0.9;
/** Until a call says how many characters of its conversations are a token: as in code and dense languages. */
const fewestCharsPerToken = 3;
const maxKept = 5_000;
/** No model takes less. An endpoint that refuses less has another fault, which must not shorten each later turn. */
const fewestChars = 4_000;

/** How much of a conversation one model takes. */
export interface LearnedWindow {
  /** Characters of a request; null: nothing is known. */
  readonly chars: number | null;
  /** A call was answered, and its endpoint counted its tokens. */
  used(chars: number, tokens: number): void;
  /** A call was refused as too long. @param message the endpoint's words: many name the limit */
  refused(chars: number, message: string): Promise<void>;
}

interface Known {
  chars: number | null;
  charsPerToken: number | null;
  readMs: number;
}

/**
 * Remembers for later turns what a model refused. Forgotten after MODEL_WINDOW_KEPT_MS: the model behind a name may have
 * changed to a larger one.
 */
@Injectable()
export class ModelWindows {
  private readonly known = new Map<string, Known>();

  constructor(
    private readonly db: Database,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  async of(projectId: string, model: string): Promise<LearnedWindow> {
    const known = await this.read(projectId, model);
    return {
      get chars() {
        return known.chars;
      },
      used: (chars, tokens) => {
        if (tokens > 0) known.charsPerToken = chars / tokens;
      },
      refused: async (chars, message) => {
        const named = tokensIn(message);
        const room = named === null ? null : named - Math.min(this.settings.MODEL_MAX_OUTPUT_TOKENS, named / 2);
        const byTokens = room === null ? chars : room * (known.charsPerToken ?? fewestCharsPerToken);
        const learned = Math.floor(margin * Math.min(chars, byTokens, known.chars ?? chars));
        if (learned < fewestChars) return;
        known.chars = learned;
        await this.db.query(
          `INSERT INTO engine.model_window (project_id, model, chars) VALUES ($1, $2, $3)
           ON CONFLICT (project_id, model) DO UPDATE SET chars = excluded.chars, learned_at = now()`,
          [projectId, model, known.chars],
        );
      },
    };
  }

  private async read(projectId: string, model: string): Promise<Known> {
    const key = JSON.stringify([projectId, model]);
    const found = this.known.get(key);
    if (found && Date.now() - found.readMs < this.settings.CHANGE_CACHE_MS) return found;
    const [row] = (await this.db.query(
      `SELECT chars FROM engine.model_window
        WHERE project_id = $1 AND model = $2 AND learned_at > now() - $3 * interval '1 millisecond'`,
      [projectId, model, this.settings.MODEL_WINDOW_KEPT_MS],
    )) as { chars: number }[];
    if (this.known.size >= maxKept) this.known.clear();
    const known = { charsPerToken: found?.charsPerToken ?? null, chars: row?.chars ?? null, readMs: Date.now() };
    this.known.set(key, known);
    return known;
  }
}

/** The limit that a refusal names: "maximum context length is 8192 tokens", "200000 maximum". */
function tokensIn(message: string): number | null {
  const [, first, second] =
    /(?:maximum|max|limit|context)\D{0,60}?(\d[\d,]{2,9})|(\d[\d,]{2,9})\D{0,20}?maximum/i.exec(message) ?? [];
  const tokens = Number((first ?? second ?? '').replaceAll(',', ''));
  return tokens >= 256 ? tokens : null;
}
