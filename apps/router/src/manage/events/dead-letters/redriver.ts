import { type ProjectScope, scopeOf } from '#libs/contracts';
import { Database, type Sweeper, Sweeping } from '#libs/database';
import {
  type DeadLetter,
  endingOfRedrive,
  findDeadLetter,
  lettersBefore,
  noteRedriveFailure,
  openForRedrive,
  settleRedrive,
  takeDueRedrives,
} from '#libs/journal';
import { askerOf, keyed, notFound, once, type Principal, Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { EngineRuns } from '../../../path/handover/engine-runs.js';
import { GATEWAY } from '../../../env.js';
import { Replayer } from '../replayer.js';

const sweepEveryMs = 1_000;
/** A letter is due again after five seconds at the earliest, to check how it ended. */
const idleMs = 3_000;
const sweepBatch = 50;

/**
 * Redrives dead letters, each once: if one is dead-lettered again, that is a new letter. The row records the request,
 * and is swept until the journal says how it ended, so a job that Redis loses is added again.
 */
@Injectable()
export class Redriver extends Sweeping {
  private readonly logger = new Logger('redrive');
  private readonly sweeper: Sweeper;

  constructor(
    private readonly db: Database,
    private readonly replayer: Replayer,
    private readonly runs: EngineRuns,
    @Inject(GATEWAY) private readonly gateway: ServiceClient,
  ) {
    super();
    this.sweeper = this.sweepEvery({
      name: 'redrives',
      everyMs: sweepEveryMs,
      idleMs,
      batch: sweepBatch,
      sweep: (limit) => this.sweep(limit),
    });
  }

  /**
   * Takes a letter and sends it at once.
   * @param key the caller's Idempotency-Key: repeating it returns the letter's current state
   * @throws Problem 404 `dead_letter_not_found`; 409 `already_redriven`; 422 `idempotency_key_reused`
   */
  async redrive(caller: Principal, id: string, key: string | null): Promise<DeadLetter> {
    const letter = await this.find(caller, id);
    await this.db.transaction((tx) =>
      once(tx, 'router', keyed(caller, key, `redrive ${id}`), async () => {
        if (await openForRedrive(tx, letter, askerOf(caller))) return {};
        const detail = `The dead letter is ${letter.state === 'open' ? 'taken' : letter.state}. Each is redriven once; another failure makes a new dead letter.`;
        throw new Problem(409, 'already_redriven', detail);
      }),
    );
    this.sweeper.soon();
    return this.find(caller, id);
  }

  async find(scope: ProjectScope, id: string): Promise<DeadLetter> {
    const letter = await findDeadLetter(this.db, scope.organizationId, scope.projectId, id);
    if (!letter) throw notFound('dead_letter', id);
    return letter;
  }

  private async sweep(limit: number): Promise<number> {
    const due = await takeDueRedrives(this.db, limit);
    await Promise.all(due.map((letter) => this.drive(letter)));
    return due.length;
  }

  private async drive(letter: DeadLetter): Promise<void> {
    try {
      if (letter.stage === 'turn') return await this.driveTurn(letter);
      const outcome = await endingOfRedrive(this.db, letter);
      if (outcome) await settleRedrive(this.db, letter.id, 'redriven', outcome);
      else {
        await this.send(letter);
        if (letter.redrive_error !== null) await noteRedriveFailure(this.db, letter.id, null);
      }
    } catch (error) {
      // The row is due again later, and records why.
      const cause = error instanceof Problem ? error.detail : 'The dead letter could not be sent.';
      await noteRedriveFailure(this.db, letter.id, cause);
      this.logger.warn({ event: 'redrive.failed', id: letter.id, drives: letter.drives, error: String(error) });
    }
  }

  /** The engine knows the state of a turn. */
  private async driveTurn(letter: DeadLetter): Promise<void> {
    const scope = scopeOf(letter);
    const done = await lettersBefore(this.db, letter);
    const driven = await this.runs.redrive(scope, letter.subject_id ?? '', done, letter.redriven_by);
    if (driven.is === 'gone') await settleRedrive(this.db, letter.id, 'lost', null);
    if (driven.is === 'ended') await settleRedrive(this.db, letter.id, 'redriven', driven.outcome);
  }

  private async send(letter: DeadLetter): Promise<void> {
    const scope = scopeOf(letter);
    try {
      if (letter.stage !== 'delivery') await this.replayer.enqueue(scope, letter.receipt_id);
      else if (letter.drives === 1) await this.reopenDelivery(scope, letter.subject_id ?? '');
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 404) throw error;
      await settleRedrive(this.db, letter.id, 'lost', null);
    }
  }

  /**
   * The gateway keeps a reopened delivery until it ends: once is enough, and one that is already open counts as well.
   */
  private async reopenDelivery(scope: ProjectScope, id: string): Promise<void> {
    try {
      await this.gateway.post(`/internal/deliveries/${encodeURIComponent(id)}/redrive`, scope, {});
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 409) throw error;
    }
  }
}
