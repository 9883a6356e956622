import { Batcher } from '#libs/batching';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { PastTurn } from '../prompt/prompt.js';
import type { EngineSettings } from '../settings.js';
import { SETTINGS } from '../settings.js';

interface WindowRequest {
  project_id: string;
  session_id: string;
  turn_id: string;
}

/** An earlier turn, as its session is shown it. */
export interface WindowTurn extends PastTurn {
  /** It had read untrusted content: its message, or results of its calls. */
  read_untrusted: boolean;
}

type WindowRow = WindowTurn & { turn_id: string };

const windowSql = `
  SELECT x.turn_id, past.input, past.reply_text, past.read_untrusted
    FROM unnest($1::text[], $2::text[], $3::text[]) AS x(project_id, session_id, turn_id)
   CROSS JOIN LATERAL (
     SELECT id, input, reply_text, read_untrusted FROM engine.turn t
      WHERE t.session_id = x.session_id AND t.project_id = x.project_id AND t.state = 'succeeded' AND t.id < x.turn_id
      ORDER BY t.id DESC LIMIT $4) AS past
   ORDER BY x.turn_id, past.id`;

/** What was said before in a session. */
@Injectable()
export class SessionWindowRepository {
  private readonly windows: Batcher<WindowRequest, WindowTurn[]>;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {
    this.windows = new Batcher((requests) => this.readAll(requests), { maxItems: 64, maxWaitMs: 0, maxRunning: 2 });
  }

  /** The last turns of the session before this one, oldest first. */
  before(turnId: string, projectId: string, sessionId: string | null): Promise<WindowTurn[]> {
    if (sessionId === null || this.settings.TURN_WINDOW === 0) return Promise.resolve([]);
    return this.windows.add({ project_id: projectId, session_id: sessionId, turn_id: turnId });
  }

  private async readAll(requests: WindowRequest[]): Promise<WindowTurn[][]> {
    const rows = (await this.db.query(windowSql, [
      requests.map((request) => request.project_id),
      requests.map((request) => request.session_id),
      requests.map((request) => request.turn_id),
      this.settings.TURN_WINDOW,
    ])) as WindowRow[];
    const byTurn = Map.groupBy(rows, (row) => row.turn_id);
    return requests.map((request) => byTurn.get(request.turn_id) ?? []);
  }
}
