import { firstId } from '#libs/contracts';
import type { Queryable } from '#libs/database';
import { type ListRead, ListReads } from '#libs/list-reads';
import type { Principal } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { type EngineSettings, SETTINGS } from '../../settings.js';

/** Turns that came the same way and went to the same agent. */
export interface TurnPath {
  app_id: string;
  trigger_id: string | null;
  workflow_id: number | null;
  /** Null: the project's Chief of Staff. */
  agent_id: string | null;
  turns: number;
  failed: number;
  open: number;
}

/** Calls of a tool by an agent. */
export interface CalledTool {
  agent_id: string;
  source: string;
  tool: string;
  tool_id: string | null;
  calls: number;
  failed: number;
}

export interface Paths {
  paths: TurnPath[];
  tools: CalledTool[];
  /** The turns that were looked at, of all projects, are all that there are. */
  whole: boolean;
}

/** Of each list, the busiest. */
const most = 500;

/** Which way messages went, from the newest turns. */
@Injectable()
export class TurnPathRepository {
  constructor(
    private readonly reads: ListReads,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /** May lag. */
  since(caller: Principal, from: Date): Promise<ListRead<Paths>> {
    return this.reads.read('turn-paths', caller, (db) => this.read(db, caller, from));
  }

  private async read(db: Queryable, { organizationId, projectId }: Principal, from: Date): Promise<Paths> {
    // By id, which has an index and sorts by time. The turns of trials have no App.
    const newest = `WITH newest AS MATERIALIZED (
        SELECT id, organization_id, project_id, app_id, trigger_id, workflow_id, agent_id, state
          FROM engine.turn WHERE id >= $3 ORDER BY id DESC LIMIT $4),
      own AS (SELECT * FROM newest WHERE organization_id = $1 AND project_id = $2 AND app_id NOT LIKE 'trial:%')`;
    const scan = this.settings.TURN_PATH_SCAN;
    const parameters = [organizationId, projectId, firstId('trn', from), scan];
    const [paths, tools, counted] = (await Promise.all([
      db.query(
        `${newest}
         SELECT app_id, trigger_id, workflow_id, agent_id, count(*)::integer AS turns,
                (count(*) FILTER (WHERE state = 'failed'))::integer AS failed,
                (count(*) FILTER (WHERE state IN ('waiting', 'held', 'queued', 'running', 'waiting_approval')))::integer AS open
           FROM own GROUP BY app_id, trigger_id, workflow_id, agent_id ORDER BY turns DESC LIMIT ${most}`,
        parameters,
      ),
      db.query(
        `${newest}
         SELECT c.agent_id, c.source, c.tool, c.tool_id, count(*)::integer AS calls,
                (count(*) FILTER (WHERE c.outcome = 'error'))::integer AS failed
           FROM own JOIN engine.tool_call c ON c.turn_id = own.id
          GROUP BY c.agent_id, c.source, c.tool, c.tool_id ORDER BY calls DESC LIMIT ${most}`,
        parameters,
      ),
      db.query('SELECT count(*)::integer AS turns FROM (SELECT FROM engine.turn WHERE id >= $1 LIMIT $2) AS newest', [
        firstId('trn', from),
        scan,
      ]),
    ])) as [TurnPath[], CalledTool[], { turns: number }[]];
    return { paths, tools, whole: (counted[0]?.turns ?? 0) < scan };
  }
}
