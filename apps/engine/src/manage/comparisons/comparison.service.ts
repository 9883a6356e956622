import {
  askerOf,
  invalidCursor,
  keyed,
  notFound,
  type Page,
  pageOf,
  type PageQuery,
  type Principal,
} from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { requireRightTo } from '../agents/agent-powers.js';
import { AgentService } from '../agents/agent.service.js';
import { AgentVersionRepository } from '../agents/agent-version.repository.js';
import type { Agent } from '../../entities/agent.entity.js';
import { TurnCancellation } from '../turns/turn-cancellation.service.js';
import { TurnInputs } from '../turns/turn-inputs.service.js';
import { requireValidRules } from './answer-rule.dto.js';
import { CaseSources } from './case-sources.service.js';
import type { NewComparisonBody } from './comparison.dto.js';
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
    private readonly sources: CaseSources,
    private readonly comparisons: ComparisonRepository,
    private readonly cases: ComparisonCaseRepository,
    private readonly runner: ComparisonRunner,
    private readonly cancellation: TurnCancellation,
    private readonly inputs: TurnInputs,
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
    const { candidate, baseline = agent.version, judge, max_tokens: maxTokens = null } = body;
    await this.requireRight(caller, agent, baseline);
    await this.requireRight(caller, agent, candidate);
    requireValidRules(body.rules ?? []);
    const cases = await this.sources.of(caller, agent, body);
    const wanted = {
      agent,
      baseline,
      candidate,
      sourceTurnIds: cases.turnIds,
      rules: body.rules ?? cases.rules,
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
    return pageOf(await this.inputs.withTexts(caller, rows), limit, ({ position }) => String(position));
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
}
