import { type ProjectScope, wordsOfStepReason, wordsOfTurnReason } from '#libs/contracts';
import type { RunDetailView, RunOutputProblem, RunRow, RunStep, RunTurn } from '#libs/views';
import { Inject, Injectable } from '@nestjs/common';
import { ReplyRepository, type SentReply } from '../replies/reply.repository.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import type { ModelCallContent } from '../../path/loop/replay.js';
import { StepRepository, WorkflowStepRepository } from '../../path/steps/step.repository.js';
import { waitIdOf } from '../../path/turns/awaited-events.service.js';
import { turnHead } from '../turns/turn.dto.js';
import type { Turn } from '../../entities/turn.entity.js';
import { RunRepository } from './run.repository.js';

const outputInvalid = 'output_invalid';
/** States in which a step has ended. */
const ended: readonly string[] = ['done', 'skipped', 'dead'];

/** Runs with their turns, replies and deliveries. */
@Injectable()
export class RunDetailService {
  constructor(
    private readonly runs: RunRepository,
    private readonly replies: ReplyRepository,
    private readonly steps: StepRepository,
    private readonly workflowSteps: WorkflowStepRepository,
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
      steps: await this.stepsOf(turns.at(-1)),
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

  /** Those that it has not come to have no row yet. */
  private async stepsOf(turn: Turn | undefined): Promise<RunStep[] | null> {
    const declared = turn?.input?.steps;
    if (!turn || !declared) return null;
    const rows = await this.workflowSteps.ofTurn(turn.id);
    return declared.map(({ name, kind }, position): RunStep => {
      const row = rows[position];
      const { state = 'queued', reason = null } = row ?? {};
      const isOver = turn.ended_at !== null && !ended.includes(state);
      return {
        name,
        kind,
        state: isOver ? 'not_done' : state,
        tries: row?.tries ?? 0,
        reason,
        reason_text: wordsOfStepReason(reason),
        input: row?.input ?? null,
        output: row?.output ?? null,
        wait_id: row?.kind === 'wait' && row.state === 'waiting' && !isOver ? waitIdOf(row) : null,
        started_at: row?.started_at ?? null,
        finished_at: row?.ended_at ?? null,
      };
    });
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
