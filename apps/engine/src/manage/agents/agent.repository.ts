import { AuditLog } from '#libs/audit';
import { columnsOf, newId, type ProjectScope } from '#libs/contracts';
import { containing, notFound, type Principal, Problem, type SearchQuery } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { isDeepStrictEqual } from 'node:util';
import { ArrayContains, type EntityManager, ILike, LessThan, Like, Repository } from 'typeorm';
import { powersOf, samePowers } from './agent-powers.js';
import { Agent, type AgentFields, AgentVersion, fieldsOf } from '../../entities/agent.entity.js';
import { Publication } from '../../entities/agent-task.entity.js';
import { CaseSet } from '../../entities/case-set.entity.js';
import { ContactMemory } from '../../entities/compaction.entity.js';
import { AgentVersionRepository } from './agent-version.repository.js';

@Injectable()
export class AgentRepository {
  constructor(
    @InjectRepository(Agent) private readonly agents: Repository<Agent>,
    private readonly versions: AgentVersionRepository,
    private readonly audit: AuditLog,
  ) {}

  /** Newest first; one more than `limit` if there are more. */
  list(owner: ProjectScope, { limit, cursor, search }: SearchQuery): Promise<Agent[]> {
    return this.agents.find({
      where: {
        ...columnsOf(owner),
        ...(cursor ? { id: LessThan(cursor) } : {}),
        ...(search ? { name: ILike(containing(search)) } : {}),
      },
      order: { id: 'DESC' },
      take: limit + 1,
    });
  }

  find(owner: ProjectScope, id: string): Promise<Agent | null> {
    return this.agents.findOneBy({ ...columnsOf(owner), id });
  }

  create(caller: Principal, fields: AgentFields): Promise<Agent> {
    return this.agents.manager.transaction(async (tx) => {
      const row = { id: newId('agt'), ...columnsOf(caller), ...fields, is_chief_of_staff: false };
      const agent = await tx.save(Agent, tx.create(Agent, row));
      const after = powersOf(agent);
      await this.versions.ensure(agent, tx);
      await this.versions.promoted(tx, agent.id, agent.version, caller.subject, '');
      await this.audit.append(tx, caller, { action: 'agent.created', subject: agent.id, before: null, after });
      return agent;
    });
  }

  /**
   * Makes a version of the changed agent and puts it in force. A change that changes nothing makes none.
   * @param check throws when the caller may not make this change to the agent as it is
   * @returns null when there is no such agent
   */
  update(
    caller: Principal,
    id: string,
    { fields, note }: { fields: Partial<AgentFields>; note: string },
    check: (before: Agent) => void,
  ): Promise<Agent | null> {
    return this.locked(caller, id, async (tx, before) => {
      check(before);
      const after = { ...fieldsOf(before), ...fields };
      if (isDeepStrictEqual(after, fieldsOf(before))) return before;
      const made = { fields: after, basedOn: before.version, note, by: caller.subject, draft: false };
      return this.putInForce(tx, caller, before, after, await this.versions.add(tx, before, made));
    });
  }

  /** @returns its number; null when there is no such agent */
  addDraft(
    caller: Principal,
    id: string,
    draft: { fields: AgentFields; basedOn: number; note: string },
  ): Promise<number | null> {
    return this.locked(caller, id, (tx, agent) =>
      this.versions.add(tx, agent, { ...draft, by: caller.subject, draft: true }),
    );
  }

  /**
   * @param check throws when the caller may not make this change to the agent as it is
   * @returns null when there is no such agent
   * @throws Problem 404 when the version was dropped meanwhile; 409 `version_changed`
   */
  promote(
    caller: Principal,
    id: string,
    { version, note = '', instead_of: insteadOf }: { version: number; note?: string; instead_of?: number },
    check: (before: Agent) => void,
  ): Promise<Agent | null> {
    return this.locked(caller, id, async (tx, before) => {
      if (insteadOf !== undefined && insteadOf !== before.version) {
        const detail = `Version ${before.version} is in force by now, not ${insteadOf}: look at what changed, then promote again.`;
        throw new Problem(409, 'version_changed', detail);
      }
      check(before);
      const row = await this.versions.find(id, version, tx);
      if (!row) throw notFound('version', version);
      if (version === before.version) return before;
      await this.versions.ensure(before, tx);
      await this.versions.promoted(tx, id, version, caller.subject, note);
      const change = { before: { version: before.version }, after: { version, ...(note === '' ? {} : { note }) } };
      await this.audit.append(tx, caller, { action: 'agent.promoted', subject: id, ...change });
      return this.putInForce(tx, caller, before, row.fields, version);
    });
  }

  private locked<Made>(
    caller: Principal,
    id: string,
    work: (tx: EntityManager, agent: Agent) => Promise<Made>,
  ): Promise<Made | null> {
    return this.agents.manager.transaction(async (tx) => {
      const where = { ...columnsOf(caller), id };
      const agent = await tx.findOne(Agent, { where, lock: { mode: 'pessimistic_write' } });
      return agent && work(tx, agent);
    });
  }

  private async putInForce(
    tx: EntityManager,
    caller: Principal,
    before: Agent,
    fields: AgentFields,
    version: number,
  ): Promise<Agent> {
    const where = { ...columnsOf(caller), id: before.id };
    await tx.update(Agent, where, { ...fields, version, updated_at: new Date() });
    const agent = await tx.findOneByOrFail(Agent, where);
    if (!samePowers(before, agent)) {
      const change = { before: powersOf(before), after: powersOf(agent) };
      await this.audit.append(tx, caller, { action: 'agent.changed', subject: before.id, ...change });
    }
    return agent;
  }

  /** Agents that have a Skill, or a Python tool without a Skill; by name. */
  using(owner: ProjectScope, what: 'skills' | 'python_tools', id: string): Promise<Agent[]> {
    return this.agents.find({
      where: { ...columnsOf(owner), [what]: ArrayContains([id]) },
      order: { name: 'ASC' },
      take: 200,
    });
  }

  /** Agents that name models of a provider; by name. */
  namingModelsOf(owner: ProjectScope, provider: string): Promise<Agent[]> {
    const named = Like(`${provider}/%`);
    return this.agents.find({
      where: [
        { ...columnsOf(owner), model: named },
        { ...columnsOf(owner), fallback_model: named },
      ],
      order: { name: 'ASC' },
      take: 20,
    });
  }

  /** Does nothing for the Chief of Staff. */
  async delete(caller: Principal, id: string): Promise<void> {
    await this.agents.manager.transaction(async (tx) => {
      const where = { ...columnsOf(caller), id, is_chief_of_staff: false };
      const agent = await tx.findOne(Agent, { where, lock: { mode: 'pessimistic_write' } });
      if (!agent) return;
      await tx.delete(Agent, where);
      await tx.delete(AgentVersion, { agent_id: id });
      await tx.delete(ContactMemory, { ...columnsOf(caller), agent_id: id });
      await tx.delete(CaseSet, { agent_id: id });
      await tx.delete(Publication, { agent_id: id });
      const before = powersOf(agent);
      await this.audit.append(tx, caller, { action: 'agent.deleted', subject: id, before, after: null });
    });
  }
}
