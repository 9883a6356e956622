import { storableJson } from '#libs/database';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Agent, type AgentFields, AgentVersion, fieldsOf, wholeFields } from '../../entities/agent.entity.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';

/** A version with what it was made from, if that is still kept. */
export type ListedVersion = AgentVersion & { before: AgentFields | null };

interface NewVersion {
  fields: AgentFields;
  basedOn: number;
  note: string;
  by: string;
  /** A draft is not put in force. */
  draft: boolean;
}

/** The versions of agents. Writing one needs the lock of the agent's row. */
@Injectable()
export class AgentVersionRepository {
  constructor(
    private readonly db: DataSource,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /** Newest first, at most `limit`. @param before null: from the newest on */
  async list(agentId: string, before: number | null, limit: number): Promise<ListedVersion[]> {
    const rows = (await this.db.query(
      `SELECT v.*, b.fields AS before
         FROM engine.agent_version v LEFT JOIN engine.agent_version b ON b.agent_id = v.agent_id AND b.version = v.based_on
        WHERE v.agent_id = $1 AND ($2::integer IS NULL OR v.version < $2) ORDER BY v.version DESC LIMIT $3`,
      [agentId, before, limit],
    )) as ListedVersion[];
    return rows.map((row) => ({
      ...row,
      fields: wholeFields(row.fields),
      before: row.before && wholeFields(row.before),
    }));
  }

  find(agentId: string, version: number, db: EntityManager = this.db.manager): Promise<AgentVersion | null> {
    return db.findOneBy(AgentVersion, { agent_id: agentId, version });
  }

  /** Makes the row of the version in force where there is none: the agent was made by Gatehouse, or by an older release. */
  async ensure(agent: Agent, db: EntityManager = this.db.manager): Promise<void> {
    await db.query(
      `INSERT INTO engine.agent_version (agent_id, version, organization_id, project_id, fields, note, created_at, promoted_at)
       VALUES ($1, $2, $3, $4, $5, '', $6, $6) ON CONFLICT DO NOTHING`,
      [
        agent.id,
        agent.version,
        agent.organization_id,
        agent.project_id,
        storableJson(fieldsOf(agent)),
        agent.updated_at,
      ],
    );
  }

  /** @returns the number of the new version */
  async add(tx: EntityManager, agent: Agent, { fields, basedOn, note, by, draft }: NewVersion): Promise<number> {
    await this.ensure(agent, tx);
    const [made] = (await tx.query(
      `INSERT INTO engine.agent_version (agent_id, version, organization_id, project_id, fields, based_on, note, made_by,
              promoted_by, promoted_at)
       SELECT $1, max(version) + 1, $2, $3, $4, $5, $6, $7, CASE WHEN NOT $8 THEN $7 END, CASE WHEN NOT $8 THEN now() END
         FROM engine.agent_version WHERE agent_id = $1
       RETURNING version`,
      [agent.id, agent.organization_id, agent.project_id, storableJson(fields), basedOn, note, by, draft],
    )) as { version: number }[];
    if (!made) throw new Error('no version was made');
    const inForce = draft ? agent.version : made.version;
    await tx.query(`DELETE FROM engine.agent_version WHERE agent_id = $1 AND version <= $2 AND version <> $3`, [
      agent.id,
      made.version - this.settings.AGENT_VERSIONS,
      inForce,
    ]);
    return made.version;
  }

  async promoted(tx: EntityManager, agentId: string, version: number, by: string, note: string): Promise<void> {
    const noted = note === '' ? {} : { note };
    const facts = { promoted_by: by, promoted_at: new Date(), ...noted };
    await tx.update(AgentVersion, { agent_id: agentId, version }, facts);
  }
}
