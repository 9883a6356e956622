import { StreamResponse } from '@a2a-js/sdk';
import { Sweeping } from '#libs/database';
import { type Egress, EgressError } from '#libs/egress';
import { Journal } from '#libs/journal';
import { errorCode, PermanentFailure } from '#libs/queue';
import { type Policy, settlementOf, verdictOf } from '#libs/work';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { FlattenedSign } from 'jose';
import { EGRESS, type EngineSettings, SETTINGS } from '../../settings.js';
import type { TaskPush } from '../../entities/agent-task.entity.js';
import { TaskPushRepository } from '../tasks/task-push.repository.js';
import { isEnded, type TaskRecord, TaskRepository } from '../tasks/task.repository.js';
import { taskView } from './a2a-views.js';
import { AgentCards } from './agent-card.js';
import { AgentKeys } from './agent-keys.js';
import { SealedSecrets } from './push-secrets.js';

const policy: Policy = {
  tries: 20,
  backoff: { baseMs: 1_000, capMs: 300_000 },
  jitter: 0.5,
  ageMs: 86_400_000,
  failuresAge: true,
};
const batch = 20;
/** Answers that say that it will be no better. */
const refused = [400, 401, 403, 404, 405, 410, 413, 415, 422];

/**
 * Tells callers of A2A that a task of theirs has changed, where they asked for it (A2A 1.0, 4.3.3). A row is there since the
 * caller was answered; each state is sent under its claim until the receiver has taken it, and may come twice.
 */
@Injectable()
export class TaskPusher extends Sweeping {
  private readonly logger = new Logger('task-pusher');

  constructor(
    private readonly pushes: TaskPushRepository,
    private readonly tasks: TaskRepository,
    private readonly cards: AgentCards,
    private readonly keys: AgentKeys,
    private readonly secrets: SealedSecrets,
    private readonly journal: Journal,
    @Inject(EGRESS) private readonly egress: Egress,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {
    super();
    const everyMs = settings.TASK_PUSH_EVERY_MS;
    this.sweepEvery({ name: 'task-pushes', everyMs, batch, sweep: (limit) => this.sendDue(limit) });
  }

  private async sendDue(limit: number): Promise<number> {
    const due = await this.pushes.claimDue(limit);
    await Promise.all(due.map((push) => this.run(push)));
    return due.length;
  }

  private async run(push: TaskPush): Promise<void> {
    const { id: key, claim } = push;
    const [task] = await this.tasks.byIds([push.task_id]);
    if (!task) return this.pushes.settle(settlementOf(key, push, { do: 'dead', code: 'task_gone' }, policy), null);
    try {
      await this.pushes.work.run({ key, claim }, () => this.send(push, task));
      const next = isEnded(task) ? ({ do: 'done' } as const) : laterWhenChanged;
      // The receiver is there: its tries and its day begin anew with the next state.
      const taken = { claim, tries: 0, blocked_since: null };
      await this.pushes.settle(settlementOf(key, taken, next, policy), task.status);
    } catch (error) {
      const settlement = settlementOf(key, push, verdictOf(error), policy);
      const reason = error instanceof Error ? error.message : String(error);
      this.logger.warn({ event: 'task_push.failed', id: key, code: errorCode(error), reason });
      if (settlement.state === 'dead') await this.journal.appendNow(failureOf(push, task, settlement.reason, reason));
      await this.pushes.settle(settlement, null);
    }
  }

  /** @throws PermanentFailure, Error */
  private async send({ id, url, secrets: sealed }: TaskPush, task: TaskRecord): Promise<void> {
    const body = JSON.stringify(StreamResponse.toJSON({ payload: { $case: 'task', value: taskView(task) } }));
    const { token, scheme, credentials } = await this.secrets.open(sealed);
    const headers = {
      'content-type': 'application/a2a+json',
      'a2a-version': '1.0',
      'x-gatehouse-signature': await this.signatureOf(`${id}.${task.status}`, body),
      ...(token === undefined ? {} : { 'x-a2a-notification-token': token }),
      ...(scheme === undefined ? {} : { authorization: `${scheme} ${credentials ?? ''}`.trim() }),
    };
    const timeoutMs = this.settings.TASK_PUSH_TIMEOUT_MS;
    let status;
    try {
      const how = { method: 'POST', headers, body, timeoutMs, maxResponseBytes: 65_536, maxRedirects: 0 };
      ({ status } = await this.egress.fetch(url, how));
    } catch (error) {
      if (error instanceof EgressError && error.code.startsWith('blocked_')) {
        throw new PermanentFailure(error.code, `${url}: ${error.message}`);
      }
      throw error;
    }
    if (status >= 200 && status < 300) return;
    if (refused.includes(status)) throw new PermanentFailure('push_refused', `the receiver answered ${status}`);
    throw new Error(`the receiver answered ${status}`);
  }

  /** A JWS whose payload is the body (RFC 7515, appendix F), with a time and an id against repetition. */
  private async signatureOf(jti: string, body: string): Promise<string> {
    const { kid, key } = await this.keys.signing;
    const iat = Math.floor(Date.now() / 1_000);
    const { protected: head, signature } = await new FlattenedSign(new TextEncoder().encode(body))
      .setProtectedHeader({ alg: 'EdDSA', typ: 'JOSE', kid, jku: this.cards.jwksUrl, iat, jti })
      .sign(key);
    return `${head}..${signature}`;
  }
}

/** The sweep claims it when its task has changed. */
const laterWhenChanged = { do: 'later', ms: 0, code: 'task_open', ages: false } as const;

function failureOf(push: TaskPush, task: TaskRecord, code: string | null, text: string) {
  const { receipt_id, organization_id, project_id } = task;
  const whose = { receipt_id, organization_id, project_id, app_id: `callers:${project_id}` };
  const detail = { text: `The caller was not informed that its task is ${task.status}: ${text}.` };
  return {
    ...whose,
    stage: 'delivery',
    outcome: 'failed',
    reason: code ?? 'push_failed',
    subject_id: push.id,
    attempt: push.tries,
    detail,
  } as const;
}
