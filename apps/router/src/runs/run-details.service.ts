import type { Principal, ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { engineClient } from '../agents/named-agents.js';
import { TurnRepository } from '../turns/turn.repository.js';
import { type EngineTurn, type RunDetailView, runDetail } from './run.dto.js';
import type { RunRow } from './run.entity.js';

/** Runs with their turns, replies and deliveries, of which the engine knows more than the router. */
@Injectable()
export class RunDetails {
  private readonly logger = new Logger('run-details');

  constructor(
    @Inject(TurnRepository) private readonly turns: TurnRepository,
    @Inject(engineClient) private readonly engine: ServiceClient,
  ) {}

  /** An engine that does not answer keeps nobody from reading what the router has: `incomplete` says so. */
  async of(caller: Principal, run: RunRow): Promise<RunDetailView> {
    const [turns, told] = await Promise.all([this.turns.ofRun(run.id), this.toldOf(caller, run.id)]);
    return runDetail(run, turns, told);
  }

  private async toldOf(caller: Principal, runId: string): Promise<EngineTurn[] | null> {
    try {
      const path = `/internal/runs/${encodeURIComponent(runId)}/turns`;
      return (await this.engine.get<{ turns: EngineTurn[] }>(path, caller)).turns;
    } catch (error) {
      this.logger.warn({ event: 'run.incomplete', run_id: runId, error: String(error) });
      return null;
    }
  }
}
