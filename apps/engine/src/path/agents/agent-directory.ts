import { columnsOf, newId, type ProjectScope, type TurnTrial } from '#libs/contracts';
import { ChangeCache, ChangeListener, Database } from '#libs/database';
import { PermanentFailure } from '#libs/queue';
import { Inject, Injectable } from '@nestjs/common';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { Agent, AgentVersion } from '../../entities/agent.entity.js';

const maxKept = 5_000;

/** Defaults of a project's built-in agent. People may change them. */
const chiefOfStaff = {
  name: 'Chief of Staff',
  instructions:
    'You are the Chief of Staff of this project. People and systems write to you over its channels. ' +
    'Answer each message briefly, helpfully and in its own language. Say so when you cannot do what is asked.',
  tools: [] as string[],
};

/** Caches the agents that turns run on until an agent of the project changes, on whichever replica. */
@Injectable()
export class AgentDirectory {
  private readonly cache: ChangeCache<Agent>;

  constructor(
    private readonly db: Database,
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
  async asTried(agent: Agent, { version, without_tools: bare, instructions, model }: TurnTrial): Promise<Agent> {
    const row = await this.db.manager.findOneBy(AgentVersion, { agent_id: agent.id, version });
    if (!row) throw new PermanentFailure('version_not_found', `version ${version} of the agent is no longer kept`);
    return {
      ...agent,
      ...row.fields,
      version,
      ...(instructions === undefined ? {} : { instructions }),
      ...(model === undefined ? {} : { model }),
      ...(bare ? { tools: [], skills: [], python_tools: [], agents: [] } : {}),
    };
  }

  /** The project's built-in agent, created if it is missing. Any number of processes may ask at once. */
  async chiefOfStaff(owner: ProjectScope): Promise<Agent> {
    const agents = this.db.getRepository(Agent);
    const known = await agents.findOneBy({ ...columnsOf(owner), is_chief_of_staff: true });
    if (known) return known;
    await agents
      .createQueryBuilder()
      .insert()
      .values({ id: newId('agt'), ...columnsOf(owner), ...chiefOfStaff, model: null, is_chief_of_staff: true })
      .orIgnore()
      .execute();
    return agents.findOneByOrFail({ ...columnsOf(owner), is_chief_of_staff: true });
  }

  /** Drops a project's cached agents after one of them changed here. */
  forget(projectId: string): void {
    this.cache.forget(projectId);
  }

  private async read(organizationId: string, projectId: string, agentId: string | null): Promise<Agent> {
    const owner = { organizationId, projectId };
    if (agentId === null) return this.chiefOfStaff(owner);
    const agent = await this.db.manager.findOneBy(Agent, { ...columnsOf(owner), id: agentId });
    if (!agent) throw new PermanentFailure('agent_not_found', `there is no agent ${agentId} in this project`);
    return agent;
  }
}
