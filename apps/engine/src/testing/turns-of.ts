import { newId, turnRun, type TurnRunPayload } from '#libs/contracts';
import { home, until } from '#libs/testing';
import type { AgentGrant } from '../entities/agent.entity.js';
import { stepsOf } from '../path/steps/step-log.js';
import { type EngineWorld } from './engine-world.js';

export interface AgentRow {
  tools?: string[];
  skills?: string[];
  python_tools?: string[];
  may_do?: string;
  approvers?: string[];
  approvers_decide_own?: boolean;
  allowed_hosts?: string[];
  caps?: object;
  agents?: AgentGrant[];
  name?: string;
  model?: string | null;
  fallback_model?: string | null;
}

/** Creates an agent as the API would. @returns its id */
export async function agentOf(world: EngineWorld, row: AgentRow): Promise<string> {
  const id = newId('agt');
  await world.pool.query(
    `INSERT INTO engine.agent (id, organization_id, project_id, name, instructions, is_chief_of_staff, tools, skills,
       python_tools, may_do, approvers, caps, model, fallback_model, allowed_hosts, approvers_decide_own, agents)
     VALUES ($1, $2, $3, $15, 'Do as you are told.', false, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      id,
      home.organizationId,
      home.projectId,
      row.tools ?? [],
      row.skills ?? [],
      row.python_tools ?? [],
      row.may_do ?? 'write',
      row.approvers ?? [],
      JSON.stringify(row.caps ?? {}),
      row.model ?? null,
      row.fallback_model ?? null,
      row.allowed_hosts ?? [],
      row.approvers_decide_own ?? false,
      JSON.stringify(row.agents ?? []),
      row.name ?? 'Test',
    ],
  );
  return id;
}

/** Reads a turn's rows and waits for its states. */
export function turnsOf(world: EngineWorld) {
  const row = async (id: string) => (await world.pool.query('SELECT * FROM engine.turn WHERE id = $1', [id])).rows[0];
  const reaches = (id: string, ...states: string[]) =>
    until(`turn ${id} is ${states.join(' or ')}`, async () => {
      const found = await row(id);
      return states.includes(found?.state) && found;
    });
  return {
    row,
    reaches,
    run: async (turn: TurnRunPayload) => {
      await world.jobs.enqueue(turnRun, turn);
      return reaches(turn.turn_id, 'succeeded', 'failed');
    },
    /** Redrives a failed turn, as the router does for a dead letter. */
    redrive: async (turn: TurnRunPayload, redrives: number) => {
      await world.internal('POST', `turns/${turn.turn_id}/redrive`, { done: redrives - 1 });
    },
    /** Its steps, as whatever reads them is shown them. */
    steps: async (id: string) => (await world.pool.query(`SELECT * FROM ${stepsOf('$1')} s ORDER BY seq`, [id])).rows,
    results: async (id: string) =>
      (
        await world.pool.query(
          "SELECT content FROM engine.step WHERE turn_id = $1 AND kind = 'tool_result' ORDER BY seq",
          [id],
        )
      ).rows.map((found) => found.content.result),
    audit: async (id: string) =>
      (await world.pool.query('SELECT * FROM engine.tool_call WHERE turn_id = $1 ORDER BY seq', [id])).rows,
  };
}
