import type { ProjectScope } from '#libs/contracts';
import { Database } from '#libs/database';
import { noteRedriven } from '#libs/journal';
import { keyed, type Principal, Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { Rerouter } from '../messages/reroute.service.js';
import { type MessageRow, messagesSql, type Packed, unpacked } from '../../entities/message.entity.js';
import { INGRESS } from '../../env.js';
import { type ReplayTarget, ReplayTargets } from './replay-targets.js';

export interface Replayed {
  /** `receipt`: it never became a message, and goes through the whole pipeline again. */
  replayed: 'messages' | 'receipt';
  run_ids: string[];
  /** Turns of those runs, and of sessions. */
  turn_ids: string[];
}

/** How an event is replayed. */
export interface ReplayRequest {
  /** Whether replies are sent again. */
  deliver: boolean;
  /** Runs this workflow, or a turn of this agent, instead of following the rules. */
  target: ReplayTarget | null;
}

/** Sends stored events through the pipeline again. */
@Injectable()
export class Replayer {
  constructor(
    private readonly db: Database,
    private readonly rerouter: Rerouter,
    private readonly targets: ReplayTargets,
    @Inject(INGRESS) private readonly ingress: ServiceClient,
  ) {}

  /**
   * Routes an event by today's rules, or to the target that its caller names.
   * @param key the caller's Idempotency-Key: repeating it returns the runs made under it
   * @throws Problem 404 `event_not_found`; 409 `no_message` for a target; those of `ReplayTargets`; 422
   * `idempotency_key_reused`
   */
  async replay(
    caller: Principal,
    id: string,
    { deliver, target }: ReplayRequest,
    key: string | null,
  ): Promise<Replayed> {
    if (target) await this.targets.require(caller, target);
    const messages = await this.messagesOf(caller, id);
    if (messages.length === 0) {
      if (target) throw new Problem(409, 'no_message', 'The event never became a message: replay it without a target.');
      await this.enqueue(caller, id);
      await noteRedriven(this.db, caller, id, caller.subject);
      return { replayed: 'receipt', run_ids: [], turn_ids: [] };
    }
    const asked = keyed(caller, key, ['event', id, deliver, ...Object.values(target ?? {})].join(' '));
    const { run_ids, turn_ids } = await this.rerouter.replay(caller, messages, { deliver, ...target }, asked);
    return { replayed: 'messages', run_ids, turn_ids };
  }

  /** Sends a stored receipt through the pipeline again; each hop knows what it has done. @throws Problem 404, 503 */
  async enqueue(scope: ProjectScope, id: string): Promise<void> {
    await this.ingress.post(`/internal/receipts/${encodeURIComponent(id)}/enqueue`, scope, {});
  }

  /** @param read `shown` for those who look at them */
  async messagesOf(
    scope: ProjectScope,
    receiptId: string,
    read: (row: Packed<MessageRow>) => MessageRow = unpacked<MessageRow>,
  ): Promise<MessageRow[]> {
    const rows = (await this.db.query(`${messagesSql} WHERE receipt_id = ANY($1) ORDER BY id`, [
      [receiptId],
    ])) as Packed<MessageRow>[];
    return rows
      .filter((row) => row.organization_id === scope.organizationId && row.project_id === scope.projectId)
      .map(read);
  }
}
