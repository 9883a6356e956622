import type { ProjectScope } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AgentCaps } from '../../entities/agent.entity.js';
import type { Spent } from '../../path/steps/step-log.js';
import { addModelUsageSql, addUsageSql } from '../../path/usage/day-usage.repository.js';
import type { Asker } from '../document-search.repository.js';

/** What embeddings have cost, in the same rows as calls of other models. */
@Injectable()
export class EmbeddingUsageRepository {
  constructor(private readonly db: DataSource) {}

  /** That of the project itself has no agent. */
  async count(owner: ProjectScope, payer: Asker['payer'], spent: Spent): Promise<void> {
    await this.db.query(
      `WITH given AS (SELECT $1::text AS project_id, $2::text AS organization_id),
       used AS (
         SELECT project_id, organization_id, $3::text AS agent_id, $4::text AS contact_id, 1 AS model_calls, 0 AS tool_calls,
                $5::bigint AS input_tokens, 0 AS output_tokens, $6::bigint AS cost_micros FROM given),
       counted AS (${addUsageSql('used')}),
       counted_models AS (${addModelUsageSql("SELECT project_id, organization_id, 'model_call' AS kind, $7::jsonb AS spent FROM given")})
       SELECT 1`,
      [
        owner.projectId,
        owner.organizationId,
        payer?.agentId ?? '',
        payer?.contactId ?? '',
        spent.input_tokens,
        spent.cost_micros,
        JSON.stringify(spent),
      ],
    );
  }

  async capsOf({ organizationId, projectId }: ProjectScope, agentId: string): Promise<AgentCaps> {
    const rows = (await this.db.query(
      'SELECT caps FROM engine.agent WHERE id = $1 AND project_id = $2 AND organization_id = $3',
      [agentId, projectId, organizationId],
    )) as { caps: AgentCaps }[];
    return rows[0]?.caps ?? {};
  }
}
