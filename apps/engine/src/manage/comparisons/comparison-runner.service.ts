import { problemOf } from '#libs/answer-rules';
import { columnsOf, scopeOf, type TurnInput } from '#libs/contracts';
import { Sweeping } from '#libs/database';
import { PermanentFailure } from '#libs/queue';
import { type Policy, type Settlement, settlementOf, type Verdict, verdictOf } from '#libs/work';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { repeatedInput, type NewTrialTurn } from '../trials/trial-turn.js';
import { TurnEnqueuer } from '../../path/turns/start-next.js';
import { TurnInputs } from '../turns/turn-inputs.service.js';
import { TurnRepository } from '../../path/turns/turn.repository.js';
import {
  type CaseVerdict,
  type Comparison,
  type ComparisonCase,
  type Judge,
  type Side,
  sides,
} from './comparison.entity.js';
import { type ComparedCase, ComparisonCaseRepository, type ComparedTurn } from './comparison-case.repository.js';
import { ComparisonRepository } from './comparison.repository.js';
import { judgeInput, readJudgement } from './judge.js';

const sweepBatch = 20;
const policy: Policy = {
  tries: 10,
  backoff: { baseMs: 1_000, capMs: 60_000 },
  jitter: 0.2,
  ageMs: null,
  failuresAge: false,
};

/** What a case needs next. */
type Next = { begin: NewTrialTurn[] } | { verdict: CaseVerdict } | 'wait';

/** A case whose turns have both begun. */
type BegunCase = ComparedCase & Record<Side, ComparedTurn>;

/**
 * Takes cases through their turns: both versions, then the judge. A claim only looks, begins what is next, and gives the
 * case back: the turns have leases, retries and budgets of their own, and whoever claims the case next finds them.
 */
@Injectable()
export class ComparisonRunner extends Sweeping {
  private readonly logger = new Logger('comparisons');
  private readonly sweeper;

  constructor(
    private readonly cases: ComparisonCaseRepository,
    private readonly comparisons: ComparisonRepository,
    private readonly turns: TurnRepository,
    private readonly inputs: TurnInputs,
    private readonly enqueuer: TurnEnqueuer,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {
    super();
    this.sweeper = this.sweepEvery({
      name: 'comparisons',
      everyMs: settings.COMPARISON_EVERY_MS,
      idleMs: settings.SWEEP_EVERY_MS,
      batch: sweepBatch,
      sweep: async (limit) => {
        const due = await cases.work.claimDue(limit);
        await Promise.all(due.map((row) => this.advance(row)));
        return due.length;
      },
    });
  }

  /** A comparison was stored. */
  soon(): void {
    this.sweeper.soon();
  }

  private async advance(row: ComparisonCase): Promise<void> {
    try {
      const next = await this.next(row);
      if (next === 'wait') return await this.cases.settle(this.settlement(row, this.later), null);
      if ('verdict' in next) return await this.cases.settle(this.settlement(row, { do: 'done' }), next.verdict);
      this.enqueuer.enqueue(await this.cases.begin(this.settlement(row, this.later), next.begin));
    } catch (error) {
      const verdict = verdictOf(error);
      this.logger.warn({ event: 'comparison.case_failed', case_id: row.id, verdict: verdict.do, error: String(error) });
      await this.cases.settle(this.settlement(row, verdict), null);
    }
  }

  /** Before the next sweep of this process, so that each sweep finds what still waits. */
  private get later(): Verdict {
    return { do: 'later', ms: this.settings.COMPARISON_EVERY_MS / 2, code: 'turns_run', ages: false };
  }

  private settlement(row: ComparisonCase, verdict: Verdict): Settlement {
    return settlementOf(row.id, row, verdict, policy);
  }

  private async next(row: ComparisonCase): Promise<Next> {
    const [comparison, compared] = await Promise.all([
      this.comparisons.byId(row.comparison_id),
      this.cases.compared(row.id),
    ]);
    if (!comparison || !compared) throw new PermanentFailure('comparison_gone', 'the comparison is past its retention');
    if (!isBegun(compared)) return { begin: await this.turnsOf(comparison, row) };
    if (!compared.baseline.ended || !compared.candidate.ended) return 'wait';
    const rules = comparison.rules.map((rule) => ({
      baseline: problemIn(compared.baseline, (answer, called) => problemOf(rule, answer, called)),
      candidate: problemIn(compared.candidate, (answer, called) => problemOf(rule, answer, called)),
    }));
    const judged = await this.judged(comparison, compared);
    return 'judge' in judged ? { verdict: { rules, ...judged } } : judged.next;
  }

  /** @throws PermanentFailure when the message is gone, or the comparison has used its tokens */
  private async turnsOf(comparison: Comparison, row: ComparisonCase): Promise<NewTrialTurn[]> {
    const { max_tokens: most } = comparison;
    if (most !== null && (await this.cases.tokensOf(comparison.id)) >= most) {
      throw new PermanentFailure('tokens_spent', `the comparison has used its ${most} tokens`);
    }
    const input = await this.sourceOf(row);
    return sides.map((side) => ({
      id: row[`${side}_turn_id`],
      ...this.shared(comparison),
      input: {
        ...repeatedInput(input),
        started_by: [comparison.made_by],
        trial: { version: comparison[side], recorded_of: row.source_turn_id },
      },
    }));
  }

  /** The judgement, or what has to come before it. */
  private async judged(
    comparison: Comparison,
    compared: BegunCase,
  ): Promise<Pick<CaseVerdict, 'judge' | 'judge_error'> | { next: Next }> {
    const { baseline, candidate, judging } = compared;
    const answers = { baseline: baseline.reply_text ?? '', candidate: candidate.reply_text ?? '' };
    if (!hasJudge(comparison)) return { judge: null, judge_error: null };
    if (baseline.state !== 'succeeded' || candidate.state !== 'succeeded') {
      return { judge: null, judge_error: 'no_two_answers' };
    }
    if (answers.baseline === answers.candidate) {
      return { judge: { prefers: 'tie', why: 'The answers are the same.' }, judge_error: null };
    }
    if (judging === null) {
      const { message } = await this.sourceOf(compared);
      const memory = await this.turns.memoryOf(compared.source_turn_id);
      const input = judgeInput({ comparison, row: compared, message: message.message, memory, answers });
      return { next: { begin: [{ id: compared.judge_turn_id, ...this.shared(comparison), input }] } };
    }
    if (!judging.ended) return { next: 'wait' };
    if (judging.state !== 'succeeded') return { judge: null, judge_error: judging.reason ?? 'judge_failed' };
    const turn = await this.turns.byId(judging.id);
    return readJudgement(compared, turn?.output ?? null);
  }

  private shared(comparison: Comparison): Omit<NewTrialTurn, 'id' | 'input'> {
    return { ...columnsOf(scopeOf(comparison)), agent_id: comparison.agent_id, session_id: null, epoch: 0 };
  }

  private async sourceOf(row: ComparisonCase): Promise<TurnInput> {
    const { organization_id, project_id, source_turn_id: id } = row;
    const turn = await this.turns.find(organization_id, project_id, id);
    const input = turn && (await this.inputs.of(turn));
    if (!input) throw new PermanentFailure('turn_gone', `the message of turn ${id} is past its retention`);
    return input;
  }
}

function isBegun(compared: ComparedCase): compared is BegunCase {
  return compared.baseline !== null && compared.candidate !== null;
}

function hasJudge(comparison: Comparison): comparison is Comparison & { judge: Judge } {
  return comparison.judge !== null;
}

/** An answer that there is not holds to no rule. */
function problemIn(
  { state, reason, reply_text, calls }: ComparedTurn,
  check: (answer: string, called: string[]) => string | null,
): string | null {
  if (state !== 'succeeded') return `no answer: ${reason ?? state}`;
  return check(
    reply_text ?? '',
    calls.map(({ tool }) => tool),
  );
}
