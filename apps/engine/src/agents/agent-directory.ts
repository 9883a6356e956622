import type { TurnTrial } from '#libs/contracts';
import { ChangeCache, ChangeListener } from '#libs/database';
import { PermanentFailure } from '#libs/queue';
import { Inject, Injectable } from '@nestjs/common';
import { type EngineSettings, SETTINGS } from '../settings.js';
import type { Agent } from '../entities/agent.entity.js';
import { AgentVersionRepository } from './agent-version.repository.js';
import { AgentRepository } from './agent.repository.js';

const maxKept = 5_000;

/** Caches the agents that turns run on until an agent of the project changes, on whichever replica. */
@Injectable()
export class AgentDirectory {
  private readonly cache: ChangeCache<Agent>;

  constructor(
    private readonly agents: AgentRepository,
    private readonly versions: AgentVersionRepository,
    changes: ChangeListener,
    @Inject(SETTINGS) { CHANGE_CACHE_MS: keptMs, AGENT_CACHE_MS: unheardMs }: EngineSettings,
  ) {
    this.cache = new ChangeCache(changes, { topic: 'agents', maxKept, keptMs, unheardMs });
  }

  /**
   * @param agentId null for the project's Chief of Staff
   * @throws PermanentFailure `agent_not_found` when it was deleted or belongs to another project
   */
  forTurn(organizationId: string, projectId: string, agentId: string | null): Promise<Agent> {
    const asked = `${organizationId} ${agentId ?? ''}`;
    return this.cache.get(projectId, () => this.read(organizationId, projectId, agentId), asked);
  }

  /**
   * The agent as a turn tries it.
   * @throws PermanentFailure `version_not_found` when the version is no longer kept
   */
  async asTried(agent: Agent, { version, ...instead }: TurnTrial): Promise<Agent> {
    const row = await this.versions.find(agent.id, version);
    if (!row) throw new PermanentFailure('version_not_found', `version ${version} of the agent is no longer kept`);
    return { ...agent, ...row.fields, version, ...instead };
  }

  /** Drops a project's cached agents after one of them changed here. */
  forget(projectId: string): void {
    this.cache.forget(projectId);
  }

  private async read(organizationId: string, projectId: string, agentId: string | null): Promise<Agent> {
    const owner = { organizationId, projectId };
    if (agentId === null) return this.agents.chiefOfStaff(owner);
    const agent = await this.agents.find(owner, agentId);
    if (!agent) throw new PermanentFailure('agent_not_found', `there is no agent ${agentId} in this project`);
    return agent;
  }
}
