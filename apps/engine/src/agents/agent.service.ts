import { notFound, type Page, pageOf, type PageQuery, type Principal, Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { Toolbox } from '../tools/toolbox.js';
import { AgentDirectory } from './agent-directory.js';
import type { CreateAgent, UpdateAgent } from './agent.dto.js';
import type { Agent } from './agent.entity.js';
import { AgentRepository } from './agent.repository.js';

@Injectable()
export class AgentService {
  constructor(
    @Inject(AgentRepository) private readonly agents: AgentRepository,
    @Inject(AgentDirectory) private readonly directory: AgentDirectory,
    @Inject(Toolbox) private readonly toolbox: Toolbox,
  ) {}

  /** A page, newest first. The first look at a project makes its Chief of Staff, so that people find it there. */
  async list(caller: Principal, query: PageQuery): Promise<Page<Agent>> {
    if (!query.cursor) await this.agents.chiefOfStaff(caller);
    return pageOf(await this.agents.list(caller, query.limit, query.cursor), query.limit, (agent) => agent.id);
  }

  /** @throws Problem 404 */
  async get(caller: Principal, id: string): Promise<Agent> {
    const agent = await this.agents.find(caller, id);
    if (!agent) throw notFound('agent', id);
    return agent;
  }

  /** @throws Problem 422 for a tool that does not exist */
  async create(caller: Principal, body: CreateAgent): Promise<Agent> {
    this.requireTools(body.tools);
    const { name, instructions, model = null, tools = [] } = body;
    return this.agents.create(caller, { name, instructions, model, tools });
  }

  /** @throws Problem 404, 422 */
  async update(caller: Principal, id: string, body: UpdateAgent): Promise<Agent> {
    this.requireTools(body.tools);
    const { name, instructions, model, tools } = body;
    const agent = await this.agents.update(caller, id, { name, instructions, model, tools });
    this.directory.forget(caller.organizationId, caller.projectId);
    if (!agent) throw notFound('agent', id);
    return agent;
  }

  /** @throws Problem 404; 409 for the Chief of Staff */
  async delete(caller: Principal, id: string): Promise<void> {
    const agent = await this.get(caller, id);
    if (agent.is_chief_of_staff) {
      throw new Problem(
        409,
        'chief_of_staff_stays',
        'Each project keeps its Chief of Staff: change its instructions instead.',
      );
    }
    await this.agents.delete(caller, id);
    this.directory.forget(caller.organizationId, caller.projectId);
  }

  private requireTools(tools: string[] | undefined): void {
    const unknown = (tools ?? []).filter((name) => !this.toolbox.names.includes(name));
    if (unknown.length === 0) return;
    const message = `no such tool: ${unknown.join(', ')}; there are ${this.toolbox.names.join(', ')}`;
    throw new Problem(422, 'invalid_fields', 'Some fields are not valid.', [{ field: 'tools', message }]);
  }
}
