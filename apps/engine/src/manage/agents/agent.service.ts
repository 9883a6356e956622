import { notFound, type Page, pageOf, type Principal, Problem, type SearchQuery } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { BuiltinLibrary } from '../../path/tools/builtin/builtin-library.js';
import { AgentDirectory } from '../../path/agents/agent-directory.js';
import type { CreateAgent, UpdateAgent } from './agent.dto.js';
import { firstPowers, requireRightTo } from './agent-powers.js';
import { type Agent, type AgentFields, agentFields, type AgentGrant } from '../../entities/agent.entity.js';
import { AgentRepository } from './agent.repository.js';
import { NamedSkills, type NamedTools } from './named-skills.js';

@Injectable()
export class AgentService {
  constructor(
    private readonly agents: AgentRepository,
    private readonly directory: AgentDirectory,
    private readonly library: BuiltinLibrary,
    private readonly named: NamedSkills,
  ) {}

  /** One page, newest first. The first page of a project creates its Chief of Staff, so that people find it there. */
  async list(caller: Principal, query: SearchQuery): Promise<Page<Agent>> {
    if (!query.cursor) await this.directory.chiefOfStaff(caller);
    return pageOf(await this.agents.list(caller, query), query.limit, (agent) => agent.id);
  }

  /** @throws Problem 404 */
  async get(caller: Principal, id: string): Promise<Agent> {
    const agent = await this.agents.find(caller, id);
    if (!agent) throw notFound('agent', id);
    return agent;
  }

  /** @throws Problem 422 for an unknown tool or Skill, or an invalid approver; 403 `scope_missing` */
  async create(caller: Principal, body: CreateAgent): Promise<Agent> {
    await this.requireValid(caller, body, { id: null, agents: [], skills: [], python_tools: [] });
    const {
      name,
      instructions,
      model = null,
      fallback_model = null,
      tools = [],
      skills = [],
      python_tools = [],
      agents = [],
    } = body;
    const { caps = {} } = body;
    const granted = { ...firstPowers, ...powersIn(body) };
    requireRightTo(caller, firstPowers, granted);
    const powers = { tools, skills, python_tools, agents, ...granted, caps };
    return this.agents.create(caller, { name, instructions, model, fallback_model, ...powers });
  }

  /** @throws Problem 404, 422; 403 `scope_missing` for powers that the caller may not give */
  async update(caller: Principal, id: string, { note = '', ...body }: UpdateAgent): Promise<Agent> {
    await this.requireValid(caller, body, await this.get(caller, id));
    const fields = fieldsIn(body);
    const agent = await this.agents.update(caller, id, { fields, note }, (before) =>
      requireRightTo(caller, before, fields),
    );
    this.directory.forget(caller.projectId);
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
    this.directory.forget(caller.projectId);
  }

  /**
   * @param before what the agent already has. It is not checked, so a deleted Skill does not block other changes.
   * @throws Problem 422 for an unknown tool or Skill, or an invalid approver
   */
  async requireValid(
    caller: Principal,
    { tools = [], approvers = [], skills = [], python_tools = [], agents = [] }: UpdateAgent,
    before: NamedTools & Pick<Agent, 'agents'> & { id: string | null },
  ): Promise<void> {
    const { names } = this.library;
    const unknown = tools.filter((name) => !names.includes(name));
    const nobody = approvers.filter((approver) => !/^(key|user|contact):[\w-]{1,90}$/.test(approver));
    const errors = [
      ...(unknown.length > 0
        ? [{ field: 'tools', message: `no such tool: ${unknown.join(', ')}; there are ${names.join(', ')}` }]
        : []),
      ...(nobody.length > 0
        ? [{ field: 'approvers', message: `${nobody.join(', ')}: give key:<id>, user:<id> or contact:<id>` }]
        : []),
      ...(await this.problemsOf(caller, agents, before)),
      ...(await this.named.unknown(caller, {
        skills: skills.filter((id) => !before.skills.includes(id)),
        python_tools: python_tools.filter((id) => !before.python_tools.includes(id)),
      })),
    ];
    if (errors.length > 0) throw new Problem(422, 'invalid_fields', 'Some fields are not valid.', errors);
  }

  /** Why agents cannot be granted as tools. One that was granted before may be gone. */
  private async problemsOf(
    caller: Principal,
    agents: AgentGrant[],
    before: Pick<Agent, 'agents'> & { id: string | null },
  ): Promise<{ field: string; message: string }[]> {
    const messages: string[] = [];
    const names = agents.map(({ name }) => name);
    const twice = names.filter((name, at) => names.indexOf(name) !== at);
    if (twice.length > 0) messages.push(`more than one has the name ${twice.join(', ')}`);
    if (agents.some(({ agent_id: id }) => id === before.id)) messages.push('an agent cannot ask itself');
    const known = before.agents.map(({ agent_id: id }) => id);
    const added = agents.map(({ agent_id: id }) => id).filter((id) => !known.includes(id));
    const found = await Promise.all(added.map((id) => this.agents.find(caller, id)));
    const unknown = added.filter((_, at) => found[at] === null);
    if (unknown.length > 0) messages.push(`no such agent: ${unknown.join(', ')}`);
    return messages.map((message) => ({ field: 'agents', message }));
  }
}

/** The fields that a body gives: plain values, so that they can be compared. */
export function fieldsIn(body: UpdateAgent): Partial<AgentFields> {
  const given = { ...body, ...powersIn(body) };
  const text = JSON.stringify(Object.fromEntries(agentFields.map((field) => [field, given[field]])));
  return JSON.parse(text) as Partial<AgentFields>;
}

/** The powers in a body. Hosts are compared in lower case. */
function powersIn({
  may_do,
  approvers,
  approvers_decide_own: decideOwn,
  allowed_hosts: hosts,
}: UpdateAgent): Partial<typeof firstPowers> {
  return {
    ...(may_do === undefined ? {} : { may_do }),
    ...(approvers === undefined ? {} : { approvers }),
    ...(decideOwn === undefined ? {} : { approvers_decide_own: decideOwn }),
    ...(hosts === undefined ? {} : { allowed_hosts: hosts.map((host) => host.toLowerCase()) }),
  };
}
