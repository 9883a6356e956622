import { columnsOf, newId } from '#libs/contracts';
import { Database, type Queryable, storableJson } from '#libs/database';
import { Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { Agent } from '../../entities/agent.entity.js';
import { CaseSet } from '../../entities/case-set.entity.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { type LeftMessage, leftMessageSql } from '../turns/turn-inputs.service.js';

/** A turn of a set, as far as it is still kept. */
export interface SetCase {
  turn_id: string;
  message: string | null;
  recorded: string | null;
}

/** Sets of cases of an agent. */
@Injectable()
export class CaseSetRepository {
  constructor(
    private readonly db: Database,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /** @throws Problem 409 `name_taken`, `too_many_case_sets` */
  create(agent: Agent, fields: Pick<CaseSet, 'name' | 'turn_ids' | 'rules' | 'made_by'>): Promise<CaseSet> {
    const { organization_id, project_id, id: agent_id } = agent;
    const { name, turn_ids, rules, made_by } = fields;
    return this.db.transaction(async (tx) => {
      await this.requireRoom(tx, agent_id);
      const [made] = (await tx.query(
        `INSERT INTO engine.case_set (id, organization_id, project_id, agent_id, name, turn_ids, rules, made_by)
         VALUES ($1, $2, $3, $4, $5, $6, $7::jsonb, $8) ON CONFLICT (agent_id, name) DO NOTHING RETURNING *`,
        [newId('cst'), organization_id, project_id, agent_id, name, turn_ids, storableJson(rules), made_by],
      )) as CaseSet[];
      if (made) return made;
      throw new Problem(409, 'name_taken', `The agent has a set ${name}: choose another name, or delete that one.`);
    });
  }

  /** One at a time for each agent, so that two that come together do not both take the last place. */
  private async requireRoom(tx: Queryable, agentId: string): Promise<void> {
    await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('engine.case_set ' || $1, 0))", [agentId]);
    const [row] = (await tx.query('SELECT count(*)::integer AS sets FROM engine.case_set WHERE agent_id = $1', [
      agentId,
    ])) as { sets: number }[];
    const most = this.settings.CASE_SETS;
    if ((row?.sets ?? 0) < most) return;
    throw new Problem(
      409,
      'too_many_case_sets',
      `The agent has ${most} sets, which is the limit (CASE_SETS): delete one.`,
    );
  }

  /** By name; an agent has at most CASE_SETS. */
  all(agent: Agent): Promise<CaseSet[]> {
    return this.db.manager.find(CaseSet, { where: ofAgent(agent), order: { name: 'ASC' } });
  }

  find(agent: Agent, id: string): Promise<CaseSet | null> {
    return this.db.manager.findOneBy(CaseSet, { ...ofAgent(agent), id });
  }

  async casesOf({ turn_ids, ...set }: CaseSet): Promise<(SetCase & LeftMessage)[]> {
    return (await this.db.query(
      `SELECT c.turn_id, t.input #>> '{message,message}' AS message, ${leftMessageSql('t')}, t.reply_text AS recorded
         FROM unnest($1::text[]) WITH ORDINALITY AS c(turn_id, position)
         LEFT JOIN engine.turn t ON t.id = c.turn_id AND t.project_id = $2 ORDER BY c.position`,
      [turn_ids, set.project_id],
    )) as (SetCase & LeftMessage)[];
  }

  async delete(agent: Agent, id: string): Promise<void> {
    await this.db.manager.delete(CaseSet, { ...ofAgent(agent), id });
  }
}

const ofAgent = ({ organization_id, project_id, id }: Agent): Pick<CaseSet, 'agent_id'> => ({
  ...columnsOf({ organizationId: organization_id, projectId: project_id }),
  agent_id: id,
});
