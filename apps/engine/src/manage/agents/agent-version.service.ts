import { invalidCursor, notFound, type Page, pageOf, type PageQuery, type Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { type Agent, type AgentVersion, fieldsOf } from '../../entities/agent.entity.js';
import { AgentDirectory } from '../../path/agents/agent-directory.js';
import { requireRightTo } from './agent-powers.js';
import {
  type AgentDifferences,
  type AgentVersionDetail,
  type AgentVersionView,
  differencesOf,
  type NewDraft,
  type Promotion,
  versionDetail,
  versionView,
} from './agent-version.dto.js';
import { AgentVersionRepository } from './agent-version.repository.js';
import { AgentRepository } from './agent.repository.js';
import { AgentService, fieldsIn } from './agent.service.js';

/** Versions of agents: read, compared, drafted and put in force. */
@Injectable()
export class AgentVersionService {
  constructor(
    private readonly agents: AgentService,
    private readonly rows: AgentRepository,
    private readonly versions: AgentVersionRepository,
    private readonly directory: AgentDirectory,
  ) {}

  /** One page, newest first. @throws Problem 404; 400 `invalid_cursor` for the cursor of another list */
  async list(caller: Principal, id: string, { limit, cursor }: PageQuery): Promise<Page<AgentVersionView>> {
    if (cursor !== undefined && !/^\d{1,9}$/.test(cursor)) throw invalidCursor();
    const agent = await this.agents.get(caller, id);
    await this.versions.ensure(agent);
    const rows = await this.versions.list(id, cursor === undefined ? null : Number(cursor), limit + 1);
    const page = pageOf(rows, limit, ({ version }) => String(version));
    return { ...page, data: page.data.map((row) => versionView(agent, row)) };
  }

  /** @throws Problem 404 */
  async get(caller: Principal, id: string, version: number): Promise<AgentVersionDetail> {
    const agent = await this.agents.get(caller, id);
    const row = await this.one(agent, version);
    const before = row.based_on === null ? null : await this.versions.find(id, row.based_on);
    return versionDetail(agent, row, before?.fields ?? null);
  }

  /** @param comparedWith absent: the version in force @throws Problem 404 */
  async differences(caller: Principal, id: string, version: number, comparedWith?: number): Promise<AgentDifferences> {
    const agent = await this.agents.get(caller, id);
    const other = comparedWith ?? agent.version;
    const [before, after] = await Promise.all([this.one(agent, other), this.one(agent, version)]);
    return { version, compared_with: other, differences: differencesOf(before.fields, after.fields) };
  }

  /**
   * A version that is not in force. It may be tried, so it gets no powers that its author could not give.
   * @throws Problem 404, 422; 403 `scope_missing`
   */
  async draft(
    caller: Principal,
    id: string,
    { based_on: basedOn, note = '', ...given }: NewDraft,
  ): Promise<AgentVersionDetail> {
    const agent = await this.agents.get(caller, id);
    const base = basedOn === undefined ? fieldsOf(agent) : (await this.one(agent, basedOn)).fields;
    const fields = { ...base, ...fieldsIn(given) };
    await this.agents.requireValid(caller, fields, { ...base, id });
    requireRightTo(caller, agent, fields);
    const version = await this.rows.addDraft(caller, id, { fields, basedOn: basedOn ?? agent.version, note });
    if (version === null) throw notFound('agent', id);
    return this.get(caller, id, version);
  }

  /** Puts a version in force, be it a draft or an earlier one. @throws Problem 404, 409, 422; 403 `scope_missing` */
  async promote(caller: Principal, id: string, version: number, how: Promotion): Promise<Agent> {
    const agent = await this.agents.get(caller, id);
    const { fields } = await this.one(agent, version);
    await this.agents.requireValid(caller, fields, agent);
    const promoted = await this.rows.promote(caller, id, { version, ...how }, (before) =>
      requireRightTo(caller, before, fields),
    );
    this.directory.forget(caller.projectId);
    if (!promoted) throw notFound('agent', id);
    return promoted;
  }

  private async one(agent: Agent, version: number): Promise<AgentVersion> {
    if (version === agent.version) await this.versions.ensure(agent);
    const row = await this.versions.find(agent.id, version);
    if (!row) throw notFound('version', version);
    return row;
  }
}
