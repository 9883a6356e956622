import type { TurnInput } from '#libs/contracts';
import { askerOf, holds, keyed, notFound, type Principal, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { requireRightTo } from '../agents/agent-powers.js';
import { AgentService } from '../agents/agent.service.js';
import { AgentVersionRepository } from '../agents/agent-version.repository.js';
import type { Agent } from '../../entities/agent.entity.js';
import type { Turn } from '../../entities/turn.entity.js';
import { TurnEnqueuer } from '../../path/turns/start-next.js';
import { TurnInputs } from '../turns/turn-inputs.service.js';
import { TurnRepository } from '../../path/turns/turn.repository.js';
import { repeatedInput, whyNotRepeatable } from './trial-turn.js';
import type { NewTrialMessage } from './trial.dto.js';
import type { Trial } from './trial.entity.js';
import { TrialRepository } from './trial.repository.js';

/**
 * People try agents: a version, or instructions that are not saved. A message is a turn like any other, with its limits,
 * budgets and retries, whose answer goes nowhere. Its tools are rehearsed unless the caller may start runs and asks for
 * real calls.
 */
@Injectable()
export class TrialService {
  constructor(
    private readonly agents: AgentService,
    private readonly versions: AgentVersionRepository,
    private readonly trials: TrialRepository,
    private readonly stored: TurnRepository,
    private readonly inputs: TurnInputs,
    private readonly enqueuer: TurnEnqueuer,
  ) {}

  /** @throws Problem 404 */
  async begin(caller: Principal, agentId: string): Promise<Trial> {
    return this.trials.create(caller, (await this.agents.get(caller, agentId)).id);
  }

  /** @throws Problem 404 */
  async get(caller: Principal, agentId: string, id: string): Promise<Trial> {
    const trial = await this.trials.find(caller, agentId, id);
    if (!trial) throw notFound('trial', id);
    return trial;
  }

  turns(trial: Trial): Promise<Turn[]> {
    return this.trials.turns(trial);
  }

  /**
   * @param key the caller's Idempotency-Key, under which the message is answered once
   * @throws Problem 404; 403 `scope_missing`; 409 `trial_busy`, `trial_full`; 422
   */
  async ask(
    caller: Principal,
    { agentId, id }: { agentId: string; id: string },
    message: NewTrialMessage,
    key: string | null,
  ): Promise<Turn> {
    const trial = await this.get(caller, agentId, id);
    const agent = await this.agents.get(caller, agentId);
    const version = message.version ?? agent.version;
    await this.requireRight(caller, agent, version, message.tools === 'real');
    const asked = keyed(caller, key, `try ${id} ${JSON.stringify(message)}`);
    const turn = await this.trials.addTurn(trial, await this.inputOf(caller, agent, message, version), asked);
    this.enqueuer.enqueue([turn]);
    return turn;
  }

  /** A version may be tried by whoever could put it in force; for real by whoever may start runs, too. */
  private async requireRight(caller: Principal, agent: Agent, version: number, real: boolean): Promise<void> {
    if (version === agent.version) await this.versions.ensure(agent);
    const row = await this.versions.find(agent.id, version);
    if (!row) throw notFound('version', version);
    requireRightTo(caller, agent, row.fields);
    if (real && !holds(caller.scopes, 'workflows:write')) {
      const detail =
        'Real calls change things as a run does, so they need the scope workflows:write. Rehearse the tools.';
      throw new Problem(403, 'scope_missing', detail);
    }
  }

  private async inputOf(
    caller: Principal,
    agent: Agent,
    message: NewTrialMessage,
    version: number,
  ): Promise<TurnInput> {
    const { text, turn_id: turnId, instructions, model, tools } = message;
    const trial = {
      version,
      ...(instructions === undefined ? {} : { instructions }),
      ...(model === undefined ? {} : { model }),
    };
    const nobody = { reply: null, reply_withheld: 'delivery_off' } as const;
    const shared = { ...nobody, started_by: [askerOf(caller)] };
    if ((text === undefined) === (turnId === undefined)) throw invalid('text', 'give either text or turn_id');
    if (text !== undefined)
      return { ...ownWords(caller, text), ...shared, ...(tools === 'real' ? {} : { rehearsal: true }), trial };
    if (tools === 'real') throw invalid('tools', 'of a turn that is asked again, results are those recorded');
    const input = await this.recorded(caller, agent, turnId ?? '');
    return { ...input, ...shared, trial: { ...trial, recorded_of: turnId ?? '' } };
  }

  /** What a turn worked on. @throws Problem 403, 404, 422; 503 when the router does not answer */
  private async recorded(caller: Principal, agent: Agent, id: string): Promise<TurnInput> {
    if (!holds(caller.scopes, 'events:read')) {
      throw new Problem(403, 'scope_missing', 'The message of a turn may be asked again with the scope events:read.');
    }
    const turn = await this.stored.find(caller.organizationId, caller.projectId, id);
    if (!turn) throw notFound('turn', id);
    const problem = whyNotRepeatable(agent, turn);
    const input = problem === null ? await this.inputs.of(turn) : null;
    if (!input) throw invalid('turn_id', problem ?? 'its message is gone');
    return repeatedInput(input);
  }
}

/** What a caller writes counts as its own words, as where it starts a run. */
function ownWords(
  caller: Principal,
  text: string,
): Pick<TurnInput, 'message' | 'verified' | 'trust' | 'text_from' | 'instructions'> {
  return {
    message: { event_type: 'message', sender: caller.subject, message: text, is_bot: false },
    verified: true,
    trust: 'builtin',
    text_from: 'system',
    instructions: null,
  };
}

function invalid(field: string, message: string): Problem {
  return new Problem(422, 'invalid_fields', 'Some fields are not valid.', [{ field, message }]);
}
