import { newId, type TurnInput, type TurnRunPayload } from '#libs/contracts';
import { PermanentFailure } from '#libs/queue';
import { Inject, Injectable } from '@nestjs/common';
import { AgentDirectory } from '../agents/agent-directory.js';
import { runLoop } from '../loop/agent-loop.js';
import { StepLog } from '../loop/step-log.js';
import { MODELS, type Models } from '../model/model.js';
import { buildPrompt } from '../prompt/prompt.js';
import type { EngineSettings } from '../settings.js';
import { SETTINGS } from '../settings.js';
import { Toolbox } from '../tools/toolbox.js';
import { SessionWindowRepository } from './session-window.repository.js';
import { StepRepository } from './step.repository.js';
import type { TurnEnding } from './turn-ending.repository.js';
import type { Claim } from './turn.repository.js';

/** What a finished loop hands over to be committed, and the facts for the journal. */
export interface TurnResult {
  ending: TurnEnding;
  facts: { agent: string; model: string; steps: number; tokens: number };
}

/** Runs a claimed turn up to its ending, which is not committed yet. */
@Injectable()
export class TurnRunner {
  constructor(
    @Inject(AgentDirectory) private readonly agents: AgentDirectory,
    @Inject(SessionWindowRepository) private readonly windows: SessionWindowRepository,
    @Inject(StepRepository) private readonly steps: StepRepository,
    @Inject(Toolbox) private readonly toolbox: Toolbox,
    @Inject(MODELS) private readonly models: Models,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /** @throws PermanentFailure `turn_timeout`, and whatever the loop throws */
  async run(payload: TurnRunPayload, claim: Claim, input: TurnInput, leaseLost: AbortSignal): Promise<TurnResult> {
    const { settings } = this;
    const [agent, past, stored] = await Promise.all([
      this.agents.forTurn(payload.organization_id, payload.project_id, payload.agent_id ?? null),
      this.windows.before(payload.turn_id, payload.project_id, payload.session_id ?? null),
      claim.attempt > 1 ? this.steps.of(payload.turn_id) : [],
    ]);
    const mayDo = input.verified ? 'write' : 'read';
    const log = new StepLog(stored, (steps) => this.steps.append(claim, steps));
    const clock = new AbortController();
    const timer = setTimeout(
      () => clock.abort(new PermanentFailure('turn_timeout', `the turn took over ${settings.TURN_WALL_CLOCK_MS} ms`)),
      settings.TURN_WALL_CLOCK_MS,
    );
    try {
      const result = await runLoop({
        model: this.models.named(agent.model),
        toolbox: this.toolbox,
        tools: this.toolbox.named(agent.tools),
        mayDo,
        messages: buildPrompt({
          instructions: agent.instructions,
          input,
          past,
          pastChars: settings.TURN_WINDOW_CHARS,
          readOnly: mayDo === 'read',
        }),
        stored,
        log,
        maxSteps: settings.TURN_MAX_STEPS,
        maxToolCalls: settings.TURN_MAX_TOOL_CALLS,
        signal: AbortSignal.any([leaseLost, clock.signal]),
      });
      const ending = endingOf(payload, claim, input, result.text, log);
      return { ending, facts: { agent: agent.id, model: result.model, steps: log.count, tokens: log.tokens } };
    } finally {
      clearTimeout(timer);
    }
  }
}

function endingOf(payload: TurnRunPayload, claim: Claim, input: TurnInput, text: string, log: StepLog): TurnEnding {
  const target = input.reply;
  const reply =
    target && target.channel_address !== null && text !== ''
      ? { delivery_id: newId('dlv'), content: { text, target } }
      : null;
  log.add('reply', { text, delivery_id: reply?.delivery_id ?? null });
  return {
    ...claim,
    organization_id: payload.organization_id,
    project_id: payload.project_id,
    receipt_id: payload.receipt_id,
    traceparent: payload.traceparent ?? null,
    reply_text: text,
    steps: log.count,
    tokens: log.tokens,
    new_steps: log.uncommitted,
    reply,
  };
}
