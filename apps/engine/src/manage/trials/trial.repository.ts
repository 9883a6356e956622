import { newId, type ProjectScope, type TurnInput } from '#libs/contracts';
import { type KeyedRequest, once, type Principal, Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { activeStates, type Turn } from '../../entities/turn.entity.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { addTrialTurns } from './trial-turn.js';
import { Trial } from './trial.entity.js';

/** Conversations in which people try an agent, and their turns. */
@Injectable()
export class TrialRepository {
  constructor(
    private readonly db: DataSource,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  create(caller: Principal, agentId: string): Promise<Trial> {
    const { organizationId: organization_id, projectId: project_id, subject: made_by } = caller;
    const row = { id: newId('tri'), organization_id, project_id, agent_id: agentId, made_by };
    return this.db.manager.save(Trial, this.db.manager.create(Trial, row));
  }

  find({ organizationId, projectId }: ProjectScope, agentId: string, id: string): Promise<Trial | null> {
    const where = { id, organization_id: organizationId, project_id: projectId, agent_id: agentId };
    return this.db.manager.findOneBy(Trial, where);
  }

  /** Oldest first. */
  async turns({ id, project_id }: Trial): Promise<Turn[]> {
    const sql = 'SELECT * FROM engine.turn WHERE session_id = $1 AND project_id = $2 ORDER BY id';
    return (await this.db.query(sql, [id, project_id])) as Turn[];
  }

  /**
   * Stores its next turn, to be run by any process.
   * @param asked the caller's Idempotency-Key: the same key gives the same turn
   * @throws Problem 409 `trial_busy`, `trial_full`; 422 `idempotency_key_reused`
   */
  async addTurn(trial: Trial, input: TurnInput, asked: KeyedRequest | null): Promise<Turn> {
    return this.db.transaction(async (tx) => {
      const { turn_id } = await once(tx, 'engine', asked, async () => {
        await tx.query('SELECT FROM engine.trial WHERE id = $1 FOR UPDATE', [trial.id]);
        const [so] = (await tx.query(
          `SELECT count(*)::integer AS turns, coalesce(bool_or(state IN ${activeStates}), false) AS busy
             FROM engine.turn WHERE session_id = $1`,
          [trial.id],
        )) as { turns: number; busy: boolean }[];
        if (so?.busy)
          throw new Problem(409, 'trial_busy', 'The agent is still at the message before: wait, or cancel its turn.');
        const most = this.settings.TRIAL_TURNS;
        if ((so?.turns ?? 0) >= most) {
          const detail = `This conversation has ${most} messages, which is the limit (TRIAL_TURNS): begin another one.`;
          throw new Problem(409, 'trial_full', detail);
        }
        const id = newId('trn');
        const { organization_id, project_id, agent_id, id: session_id } = trial;
        const epoch = (so?.turns ?? 0) + 1;
        await addTrialTurns(tx, [{ id, organization_id, project_id, session_id, agent_id, epoch, input }]);
        return { turn_id: id };
      });
      const [turn] = (await tx.query('SELECT * FROM engine.turn WHERE id = $1', [turn_id])) as Turn[];
      if (!turn) throw new Problem(410, 'turn_gone', 'The turn of this key is past its retention: use another key.');
      return turn;
    });
  }
}
