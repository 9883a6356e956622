import type { AnswerRule } from '#libs/answer-rules';
import type { Principal } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { Agent } from '../../entities/agent.entity.js';
import { TurnRepository } from '../../path/turns/turn.repository.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { whyNotRepeatable } from '../trials/trial-turn.js';
import { invalid } from './answer-rule.dto.js';
import { CaseSetRepository } from './case-set.repository.js';
import { ComparisonCaseRepository } from './comparison-case.repository.js';
import { ComparisonRepository } from './comparison.repository.js';

/** From where messages are taken; one of them is given. */
export interface CasesNamed {
  last?: number;
  turn_ids?: string[];
  cases_of?: string;
  set_id?: string;
}

/** The turns whose messages are asked again, and the rules of the set that they are from. */
export interface NamedCases {
  turnIds: string[];
  rules: AnswerRule[];
}

/** Finds the turns of an agent that are compared, or kept as a set. */
@Injectable()
export class CaseSources {
  constructor(
    private readonly turns: TurnRepository,
    private readonly comparisons: ComparisonRepository,
    private readonly cases: ComparisonCaseRepository,
    private readonly sets: CaseSetRepository,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /** @throws Problem 422 */
  async of(caller: Principal, agent: Agent, named: CasesNamed): Promise<NamedCases> {
    const { last, turn_ids: turnIds, cases_of: earlier, set_id: setId } = named;
    if ([last, turnIds, earlier, setId].filter((given) => given !== undefined).length !== 1) {
      throw invalid('last', 'give one of last, turn_ids, cases_of and set_id');
    }
    if (setId === undefined) return { turnIds: await this.turnsOf(caller, agent, named), rules: [] };
    const set = await this.sets.find(agent, setId);
    if (!set) throw invalid('set_id', `there is no set ${setId} of this agent`);
    this.requireFew('set_id', set.turn_ids);
    return { turnIds: set.turn_ids, rules: set.rules };
  }

  private async turnsOf(caller: Principal, agent: Agent, named: CasesNamed): Promise<string[]> {
    const { last, turn_ids: turnIds, cases_of: earlier } = named;
    const most = this.settings.COMPARISON_CASES;
    if (last !== undefined) {
      if (last > most) throw invalid('last', this.limit);
      const ids = await this.comparisons.lastTurns(agent, last);
      if (ids.length > 0) return ids;
      throw invalid('last', 'the agent has answered in no conversation that is still kept: name turns by turn_ids');
    }
    if (earlier !== undefined) {
      const comparison = await this.comparisons.find(caller, agent.id, earlier);
      if (!comparison) throw invalid('cases_of', `there is no comparison ${earlier} of this agent`);
      return this.cases.sourcesOf(comparison);
    }
    const ids = [...new Set(turnIds)];
    this.requireFew('turn_ids', ids);
    for (const id of ids) {
      const turn = await this.turns.find(caller.organizationId, caller.projectId, id);
      const problem = turn ? whyNotRepeatable(agent, turn) : 'there is no such turn in this project';
      if (problem !== null) throw invalid('turn_ids', `${id}: ${problem}`);
    }
    return ids;
  }

  private requireFew(field: string, ids: string[]): void {
    if (ids.length === 0 || ids.length > this.settings.COMPARISON_CASES)
      throw invalid(field, `give at least one turn, and ${this.limit}`);
  }

  private get limit(): string {
    return `at most ${this.settings.COMPARISON_CASES} cases (COMPARISON_CASES)`;
  }
}
