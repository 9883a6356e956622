import { newId } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { ArrayContains, LessThan, Repository } from 'typeorm';
import { Agent } from './agent.entity.js';
import { chiefOfStaff } from './chief-of-staff.js';

export type AgentFields = Pick<
  Agent,
  | 'name'
  | 'instructions'
  | 'model'
  | 'fallback_model'
  | 'tools'
  | 'skills'
  | 'python_tools'
  | 'may_do'
  | 'approvers'
  | 'caps'
>;

interface Owner {
  organizationId: string;
  projectId: string;
}

@Injectable()
export class AgentRepository {
  constructor(@InjectRepository(Agent) private readonly agents: Repository<Agent>) {}

  /** Newest first; one more than `limit`, where there is one. */
  list(owner: Owner, limit: number, cursor: string | undefined): Promise<Agent[]> {
    return this.agents.find({
      where: { ...scope(owner), ...(cursor ? { id: LessThan(cursor) } : {}) },
      order: { id: 'DESC' },
      take: limit + 1,
    });
  }

  find(owner: Owner, id: string): Promise<Agent | null> {
    return this.agents.findOneBy({ ...scope(owner), id });
  }

  create(owner: Owner, fields: AgentFields): Promise<Agent> {
    return this.agents.save(
      this.agents.create({ id: newId('agt'), ...scope(owner), ...fields, is_chief_of_staff: false }),
    );
  }

  async update(owner: Owner, id: string, fields: Partial<AgentFields>): Promise<Agent | null> {
    await this.agents.update({ ...scope(owner), id }, { ...fields, updated_at: new Date() });
    return this.find(owner, id);
  }

  /** Agents that have a Skill, or a Python tool without one; by name. */
  using(owner: Owner, what: 'skills' | 'python_tools', id: string): Promise<Agent[]> {
    return this.agents.find({
      where: { ...scope(owner), [what]: ArrayContains([id]) },
      order: { name: 'ASC' },
      take: 200,
    });
  }

  /** @returns false when there is no such agent, or it is the Chief of Staff */
  async delete(owner: Owner, id: string): Promise<boolean> {
    const { affected } = await this.agents.delete({ ...scope(owner), id, is_chief_of_staff: false });
    return (affected ?? 0) > 0;
  }

  /** The project's built-in agent, made where it is missing; any number of processes may ask at once. */
  async chiefOfStaff(owner: Owner): Promise<Agent> {
    const known = await this.agents.findOneBy({ ...scope(owner), is_chief_of_staff: true });
    if (known) return known;
    await this.agents
      .createQueryBuilder()
      .insert()
      .values({ id: newId('agt'), ...scope(owner), ...chiefOfStaff, model: null, is_chief_of_staff: true })
      .orIgnore()
      .execute();
    return this.agents.findOneByOrFail({ ...scope(owner), is_chief_of_staff: true });
  }
}

function scope({ organizationId, projectId }: Owner): Pick<Agent, 'organization_id' | 'project_id'> {
  return { organization_id: organizationId, project_id: projectId };
}
