import { AuditLog } from '#libs/audit';
import { columnsOf, type ProjectScope } from '#libs/contracts';
import { notFound, type Principal, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { Agent } from '../../entities/agent.entity.js';
import { Publication } from '../../entities/agent-task.entity.js';

/** A published agent, as callers see it. */
export type PublishedAgent = Publication & { agent_name: string } & Pick<Agent, 'version' | 'may_do'>;

/** What the card of an agent says. */
export type CardWords = Pick<
  PublishedAgent,
  'agent_id' | 'agent_name' | 'name' | 'description' | 'examples' | 'version'
>;

@Injectable()
export class PublicationRepository {
  constructor(
    @InjectRepository(Publication) private readonly rows: Repository<Publication>,
    private readonly audit: AuditLog,
  ) {}

  find(owner: ProjectScope, agentId: string): Promise<Publication | null> {
    return this.rows.findOneBy({ ...columnsOf(owner), agent_id: agentId });
  }

  /** Published agents of a project, by name. */
  async of(owner: ProjectScope): Promise<PublishedAgent[]> {
    return this.published('p.organization_id = $1 AND p.project_id = $2', [owner.organizationId, owner.projectId]);
  }

  /** Whoever knows its id may read its card. */
  async card(agentId: string): Promise<PublishedAgent | null> {
    return (await this.published('p.agent_id = $1', [agentId]))[0] ?? null;
  }

  /**
   * An agent of the project, published or not: nobody begins a task of one that is no longer, but those that it has are
   * their callers' still.
   */
  async followed({ organizationId, projectId }: ProjectScope, agentId: string): Promise<CardWords | null> {
    const rows = (await this.rows.query(
      `SELECT a.id AS agent_id, a.name AS agent_name, a.version, coalesce(p.name, a.id) AS name,
              coalesce(p.description, '') AS description, coalesce(p.examples, '{}') AS examples
         FROM engine.agent a LEFT JOIN engine.publication p ON p.agent_id = a.id
        WHERE a.id = $1 AND a.organization_id = $2 AND a.project_id = $3`,
      [agentId, organizationId, projectId],
    )) as CardWords[];
    return rows[0] ?? null;
  }

  /** @throws Problem 404 for an agent of another project; 409 `name_taken` */
  put(
    caller: Principal,
    agentId: string,
    fields: Pick<Publication, 'name' | 'description' | 'examples'>,
  ): Promise<Publication> {
    return this.rows.manager.transaction(async (tx) => {
      const owner = columnsOf(caller);
      // One after another in a project: two at once would both find the name free.
      await tx.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`publications-${caller.projectId}`]);
      const lock = { mode: 'pessimistic_write' } as const;
      if (!(await tx.findOne(Agent, { where: { ...owner, id: agentId }, lock }))) throw notFound('agent', agentId);
      const named = await tx.findOneBy(Publication, { ...owner, name: fields.name });
      if (named && named.agent_id !== agentId) {
        throw new Problem(409, 'name_taken', `Another published agent of the project is called ${fields.name}.`);
      }
      const before = await tx.findOneBy(Publication, { ...owner, agent_id: agentId });
      const { published_by, published_at } = before ?? { published_by: caller.subject, published_at: new Date() };
      const row = tx.create(Publication, { ...owner, agent_id: agentId, ...fields, published_by, published_at });
      const after = await tx.save(Publication, row);
      const change = { before: before && shownOf(before), after: shownOf(after) };
      await this.audit.append(tx, caller, { action: 'agent.published', subject: agentId, ...change });
      return after;
    });
  }

  /** @throws Problem 404 for an agent of another project */
  async remove(caller: Principal, agentId: string): Promise<void> {
    await this.rows.manager.transaction(async (tx) => {
      const owner = columnsOf(caller);
      if (!(await tx.existsBy(Agent, { ...owner, id: agentId }))) throw notFound('agent', agentId);
      const where = { ...owner, agent_id: agentId };
      const before = await tx.findOneBy(Publication, where);
      if (!before) return;
      await tx.delete(Publication, where);
      const change = { before: shownOf(before), after: null };
      await this.audit.append(tx, caller, { action: 'agent.unpublished', subject: agentId, ...change });
    });
  }

  private async published(where: string, parameters: unknown[]): Promise<PublishedAgent[]> {
    return (await this.rows.query(
      `SELECT p.*, a.name AS agent_name, a.version, a.may_do FROM engine.publication p JOIN engine.agent a ON a.id = p.agent_id
        WHERE ${where} ORDER BY p.name LIMIT 1000`,
      parameters,
    )) as PublishedAgent[];
  }
}

const shownOf = ({ name, description }: Publication): Record<string, unknown> => ({ name, description });
