import { PermanentFailure } from '#libs/queue';
import { Inject, Injectable } from '@nestjs/common';
import type { EngineSettings } from '../settings.js';
import { SETTINGS } from '../settings.js';
import type { Agent } from './agent.entity.js';
import { AgentRepository } from './agent.repository.js';

const maxKept = 5_000;

/** The agents that turns run on, kept for a moment: a burst of turns reads its agent once. */
@Injectable()
export class AgentDirectory {
  private readonly kept = new Map<string, { agent: Promise<Agent>; untilMs: number }>();

  constructor(
    @Inject(AgentRepository) private readonly agents: AgentRepository,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /**
   * @param agentId null for the project's Chief of Staff
   * @throws PermanentFailure `agent_not_found` when it was deleted, or is another project's
   */
  forTurn(organizationId: string, projectId: string, agentId: string | null): Promise<Agent> {
    const key = `${organizationId} ${projectId} ${agentId ?? ''}`;
    const known = this.kept.get(key);
    if (known && known.untilMs > Date.now()) return known.agent;
    if (this.kept.size >= maxKept) this.kept.clear();
    const agent = this.read(organizationId, projectId, agentId);
    this.kept.set(key, { agent, untilMs: Date.now() + this.settings.AGENT_CACHE_MS });
    agent.catch(() => this.kept.delete(key));
    return agent;
  }

  /** Drops what is kept of a project after one of its agents changed here. */
  forget(organizationId: string, projectId: string): void {
    const prefix = `${organizationId} ${projectId} `;
    for (const key of this.kept.keys()) if (key.startsWith(prefix)) this.kept.delete(key);
  }

  private async read(organizationId: string, projectId: string, agentId: string | null): Promise<Agent> {
    const owner = { organizationId, projectId };
    if (agentId === null) return this.agents.chiefOfStaff(owner);
    const agent = await this.agents.find(owner, agentId);
    if (!agent) throw new PermanentFailure('agent_not_found', `there is no agent ${agentId} in this project`);
    return agent;
  }
}
