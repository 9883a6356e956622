import { isJsonPointer } from '#libs/adapter-sdk';
import { patternProblem } from '#libs/answer-rules';
import {
  askerOf,
  invalidCursor,
  keyed,
  notFound,
  type Page,
  pageOf,
  type PageQuery,
  type Principal,
  Problem,
} from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { requireRightTo } from '../agents/agent-powers.js';
import { AgentService } from '../agents/agent.service.js';
import { AgentVersionRepository } from '../agents/agent-version.repository.js';
import type { Agent } from '../../entities/agent.entity.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { whyNotRepeatable } from '../trials/trial-turn.js';
import { TurnCancellation } from '../turns/turn-cancellation.service.js';
import { TurnRepository } from '../../path/turns/turn.repository.js';
import type { AnswerRuleBody, NewComparisonBody } from './comparison.dto.js';
import { type ComparedCase, ComparisonCaseRepository } from './comparison-case.repository.js';
import { ComparisonRunner } from './comparison-runner.service.js';
import { ComparisonRepository, type CountedComparison } from './comparison.repository.js';
import { defaultCriteria } from './judge.js';

/**
 * Two versions of an agent on what was really written to it. Each case is two trials of an earlier message, with the
 * results recorded then: nothing is sent, and nothing changes.
 */
@Injectable()
export class ComparisonService {
  constructor(
    private readonly agents: AgentService,
    private readonly versions: AgentVersionRepository,
    private readonly turns: TurnRepository,
    private readonly comparisons: ComparisonRepository,
    private readonly cases: ComparisonCaseRepository,
    private readonly runner: ComparisonRunner,
    private readonly cancellation: TurnCancellation,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /**
   * @param key the caller's Idempotency-Key, under which it begins once
   * @throws Problem 404; 403 `scope_missing`; 409 `too_many_comparisons`; 422
   */
  async begin(
    caller: Principal,
    agentId: string,
    body: NewComparisonBody,
    key: string | null,
  ): Promise<CountedComparison> {
    const agent = await this.agents.get(caller, agentId);
    const { candidate, baseline = agent.version, rules = [], judge, max_tokens: maxTokens = null } = body;
    await this.requireRight(caller, agent, baseline);
    await this.requireRight(caller, agent, candidate);
    for (const [index, rule] of rules.entries()) requireValid(rule, index);
    const wanted = {
      agent,
      baseline,
      candidate,
      sourceTurnIds: await this.sources(caller, agent, body),
      rules,
      judge: judge ? { criteria: judge.criteria ?? defaultCriteria, model: judge.model ?? null } : null,
      maxTokens,
      madeBy: askerOf(caller),
    };
    const asked = keyed(caller, key, `compare ${agentId} ${JSON.stringify(body)}`);
    const made = await this.comparisons.create(wanted, asked);
    this.runner.soon();
    return made;
  }

  /** @throws Problem 404 */
  async get(caller: Principal, agentId: string, id: string): Promise<CountedComparison> {
    const comparison = await this.comparisons.find(caller, agentId, id);
    if (!comparison) throw notFound('comparison', id);
    return comparison;
  }

  /** One page, newest first. @throws Problem 404 */
  async list(caller: Principal, agentId: string, { limit, cursor }: PageQuery): Promise<Page<CountedComparison>> {
    const agent = await this.agents.get(caller, agentId);
    return pageOf(await this.comparisons.list(agent, cursor ?? null, limit + 1), limit, ({ id }) => id);
  }

  /** One page, in their order. @throws Problem 404; 400 `invalid_cursor` for the cursor of another list */
  async casesOf(caller: Principal, agentId: string, id: string, query: PageQuery): Promise<Page<ComparedCase>> {
    const { limit, cursor = '0' } = query;
    if (!/^\d{1,9}$/.test(cursor)) throw invalidCursor();
    const comparison = await this.get(caller, agentId, id);
    const rows = await this.cases.list(comparison, Number(cursor), limit + 1);
    return pageOf(rows, limit, ({ position }) => String(position));
  }

  /** What has ended stays. @throws Problem 404 */
  async cancel(caller: Principal, agentId: string, id: string): Promise<CountedComparison> {
    const comparison = await this.get(caller, agentId, id);
    for (const turn of await this.comparisons.cancel(comparison, askerOf(caller))) this.cancellation.announce(turn);
    return this.get(caller, agentId, id);
  }

  /** As for a trial: a version may be tried by whoever could put it in force. */
  private async requireRight(caller: Principal, agent: Agent, version: number): Promise<void> {
    if (version === agent.version) await this.versions.ensure(agent);
    const row = await this.versions.find(agent.id, version);
    if (!row) throw notFound('version', version);
    requireRightTo(caller, agent, row.fields);
  }

  /** The turns whose messages are asked again. */
  private async sources(caller: Principal, agent: Agent, body: NewComparisonBody): Promise<string[]> {
    const { last, turn_ids: named, cases_of: earlier } = body;
    const most = this.settings.COMPARISON_CASES;
    if ([last, named, earlier].filter((given) => given !== undefined).length !== 1) {
      throw invalid('last', 'give one of last, turn_ids and cases_of');
    }
    const limit = `at most ${most} cases (COMPARISON_CASES)`;
    if (last !== undefined) {
      if (last > most) throw invalid('last', limit);
      const ids = await this.comparisons.lastTurns(agent, last);
      if (ids.length > 0) return ids;
      throw invalid('last', 'the agent has answered in no conversation that is still kept: name turns by turn_ids');
    }
    if (earlier !== undefined) {
      const comparison = await this.comparisons.find(caller, agent.id, earlier);
      if (!comparison) throw invalid('cases_of', `there is no comparison ${earlier} of this agent`);
      return this.cases.sourcesOf(comparison);
    }
    const ids = [...new Set(named)];
    if (ids.length === 0 || ids.length > most) throw invalid('turn_ids', `give at least one turn, and ${limit}`);
    for (const id of ids) {
      const turn = await this.turns.find(caller.organizationId, caller.projectId, id);
      const problem = turn ? whyNotRepeatable(agent, turn) : 'there is no such turn in this project';
      if (problem !== null) throw invalid('turn_ids', `${id}: ${problem}`);
    }
    return ids;
  }
}

const kinds = ['contains', 'matches', 'forbids', 'calls', 'pointer'] as const;

function requireValid(rule: AnswerRuleBody, index: number): void {
  const field = `rules.${index}`;
  const [kind, ...others] = kinds.filter((each) => rule[each] !== undefined);
  if (kind === undefined || others.length > 0) throw invalid(field, `a rule has exactly one of ${kinds.join(', ')}`);
  if ((kind === 'pointer') !== (rule.equals !== undefined)) throw invalid(field, 'pointer and equals go together');
  if (rule.pointer !== undefined && !isJsonPointer(rule.pointer)) {
    throw invalid(`${field}.pointer`, 'give a JSON Pointer such as /total');
  }
  if (rule.matches === undefined) return;
  const problem = patternProblem(rule.matches);
  if (problem !== null) throw invalid(`${field}.matches`, problem);
}

function invalid(field: string, message: string): Problem {
  return new Problem(422, 'invalid_fields', 'Some fields are not valid.', [{ field, message }]);
}
