import type { ProjectScope } from '#libs/contracts';
import { createEgress, type Egress, type EgressResponse } from '#libs/egress';
import type { StoredHold } from '#libs/journal';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { type PortalSettings, SETTINGS } from '../settings.js';
import { HandedOn, type MovingReceipt } from './handed-on.js';
import { MoveRepository } from './move.repository.js';

/** Webhooks of one request. */
const longestBatch = 200;
/** The other installation writes a batch in one commit. What is large takes longer: it comes at this rate at least. */
const answerMs = 10_000;
const bytesPerMs = 1_000;
/** For what is done before the request and after it. */
const leaseMs = 30_000;
/** A webhook that is refused so often by itself is never taken. */
const mostRefusals = 3;
/**
 * Codes that are about one webhook of a request. Others may be about all of them: of a proxy, or of a release that has other
 * fields.
 */
const refusals: ReadonlySet<string> = new Set([
  'app_unknown',
  'body_too_large',
  'id_taken',
  'receipt_refused',
  'receipt_wrong',
]);

/** A project that has left, with the installation to which it has moved. */
export type LeftProject = StoredHold & { peer: string };

/** An installation that does not answer, or that fails: its other projects would wait for the same. */
export class PeerAway extends Error {
  override readonly name = 'PeerAway';
}

/** Hands on the webhooks of one project, a batch at a time. */
@Injectable()
export class HandOnSender implements OnApplicationShutdown {
  private readonly logger = new Logger('moves');
  private readonly egress: Egress;
  /** This process, to the others. */
  private readonly owner = randomUUID();
  /** By project, while its batches are shorter than the longest. */
  private readonly sizes = new Map<string, number>();
  /** By project: the webhook that was refused last, and how often. */
  private readonly refused = new Map<string, { id: string; times: number }>();

  constructor(
    private readonly moves: MoveRepository,
    private readonly handedOn: HandedOn,
    @Inject(SETTINGS) { GATEHOUSE_EGRESS_ALLOW: allow }: Pick<PortalSettings, 'GATEHOUSE_EGRESS_ALLOW'>,
  ) {
    this.egress = createEgress({ allow });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.egress.close();
  }

  /** @returns since when, in ms since the epoch, the oldest webhook of a project waits; null when none does */
  async waitsSince(held: LeftProject): Promise<number | null> {
    const [oldest] = await this.handedOn.next(scopeOf(held), 1);
    return oldest ? Date.parse(oldest.received_at) : null;
  }

  /**
   * Sends the oldest webhooks, and ends them here once they are taken. One process at a time, so that the order stays.
   * @returns whether there may be more now
   * @throws PeerAway; any other Error: this project's are not taken
   */
  async send(held: LeftProject): Promise<boolean> {
    const { project_id: id } = held;
    if (!(await this.moves.takeHandOn(id, this.owner, leaseMs))) return false;
    try {
      return await this.sendBatch(held);
    } finally {
      await this.moves.endHandOn(id, this.owner);
    }
  }

  private async sendBatch(held: LeftProject): Promise<boolean> {
    const { project_id: id, peer } = held;
    const scope = scopeOf(held);
    const receipts = await this.handedOn.next(scope, this.sizes.get(id) ?? longestBatch);
    if (receipts.length === 0) return false;
    const token = await this.handedOn.token(scope);
    const body = JSON.stringify({ receipts });
    const timeoutMs = answerMs + Math.ceil(body.length / bytesPerMs);
    if (!(await this.moves.takeHandOn(id, this.owner, timeoutMs + leaseMs))) return false;
    // Fewer the next time, unless it answers: it may have been too much for the time.
    this.resize(id, receipts.length / 2);
    const answer = await this.post(`${peer}/api/v1/moves/${encodeURIComponent(id)}/receipts`, token, body, timeoutMs);
    this.resize(id, receipts.length);
    if (answer.status === 204) {
      await this.handedOn.end(scope, idsOf(receipts), peer);
      this.refused.delete(id);
      this.resize(id, receipts.length * 2);
      return true;
    }
    const code = codeIn(answer);
    const error = textOf(held, answer);
    if (answer.status < 500 && code !== null && refusals.has(code)) return this.onRefused(held, receipts, code, error);
    if (answer.status >= 500 || answer.status === 413) this.resize(id, receipts.length / 2);
    throw answer.status >= 500 || answer.status === 429 ? new PeerAway(error) : new Error(error);
  }

  /** @throws PeerAway */
  private async post(url: string, token: string, body: string, timeoutMs: number): Promise<EgressResponse> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    try {
      return await this.egress.fetch(url, { method: 'POST', headers, body, timeoutMs, maxRedirects: 0 });
    } catch (error) {
      throw new PeerAway(String(error), { cause: error });
    }
  }

  /** Finds out which one is refused, and ends that one here: those behind it go on. */
  private async onRefused(
    held: LeftProject,
    receipts: MovingReceipt[],
    reason: string,
    error: string,
  ): Promise<boolean> {
    const { project_id: project, peer } = held;
    const [first] = receipts;
    if (!first) return false;
    if (receipts.length > 1) {
      this.resize(project, 1);
      return true;
    }
    const before = this.refused.get(project);
    const times = before?.id === first.id ? before.times + 1 : 1;
    this.refused.set(project, { id: first.id, times });
    if (times < mostRefusals) throw new Error(error);
    await this.handedOn.deadLetter(scopeOf(held), { id: first.id, to: peer, reason, error });
    this.refused.delete(project);
    this.logger.warn({ event: 'webhook.not_taken', event_id: first.id, project_id: project, error });
    return true;
  }

  private resize(id: string, size: number): void {
    if (size >= longestBatch) this.sizes.delete(id);
    else this.sizes.set(id, Math.max(1, Math.floor(size)));
  }
}

const scopeOf = ({ organization_id, project_id }: LeftProject): ProjectScope => ({
  organizationId: organization_id,
  projectId: project_id,
});

const idsOf = (receipts: MovingReceipt[]): string[] => receipts.map(({ id }) => id);

const textOf = ({ peer }: LeftProject, { status, body }: EgressResponse): string =>
  `${peer} answered ${status}: ${body.toString().slice(0, 300)}`;

/** The code of a problem (RFC 9457), if that is what was answered. */
function codeIn({ body }: EgressResponse): string | null {
  try {
    const { code } = JSON.parse(body.toString()) as { code?: unknown };
    return typeof code === 'string' ? code : null;
  } catch {
    return null;
  }
}
