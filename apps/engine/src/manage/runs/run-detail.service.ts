import { type ProjectScope, wordsOfTurnReason } from '#libs/contracts';
import type { RunDetailView, RunOutputProblem, RunRow, RunTurn } from '#libs/views';
import { Inject, Injectable } from '@nestjs/common';
import { ReplyRepository, type SentReply } from '../replies/reply.repository.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import type { ModelCallContent } from '../../path/loop/replay.js';
import { StepRepository } from '../../path/steps/step.repository.js';
import { turnHead } from '../turns/turn.dto.js';
import type { Turn } from '../../entities/turn.entity.js';
import { RunRepository } from './run.repository.js';

const outputInvalid = 'output_invalid';

/** Runs with their turns, replies and deliveries. */
@Injectable()
export class RunDetailService {
  constructor(
    private readonly runs: RunRepository,
    private readonly replies: ReplyRepository,
    private readonly steps: StepRepository,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  async of(caller: ProjectScope, run: RunRow): Promise<RunDetailView> {
    const turns = await this.runs.turns(caller, run.id);
    const sent = await this.replies.sentBy(caller, turns);
    const shown = turns.map((turn) => this.turnOfRun(turn, sent));
    return {
      ...run,
      reply_text: shown.at(-1)?.reply_text ?? null,
      output: turns.at(-1)?.output ?? null,
      output_problems: run.error === outputInvalid ? await this.problemsOf(turns.at(-1)) : null,
      deliveries: shown.flatMap(({ deliveries }) => deliveries),
      turns: shown,
      incomplete: null,
    };
  }

  /** Of its last answer that does not hold to the schema. */
  private async problemsOf(turn: Turn | undefined): Promise<RunOutputProblem[] | null> {
    const steps = turn ? await this.steps.of(turn.id) : [];
    const wrong = steps.findLast(({ content }) => content['discarded'] === outputInvalid);
    return (wrong?.content as Partial<ModelCallContent> | undefined)?.problems ?? null;
  }

  private turnOfRun(turn: Turn, sent: SentReply[]): RunTurn {
    const { id, state, error, reply, reason, reply_text, waiting, deliveries, redrives } = turnHead(
      turn,
      sent,
      this.settings.TURN_WAIT_MS,
    );
    return {
      id,
      url: `/api/v1/turns/${id}`,
      state,
      error,
      reply,
      reason,
      reply_text,
      waiting,
      deliveries,
      redrives,
      reason_text: wordsOfTurnReason(error ?? reason),
      finished_at: turn.ended_at,
    };
  }
}
