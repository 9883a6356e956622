import type { PollResult, PolledEvent } from '#libs/adapter-sdk';
import { Liveness, Sweeping } from '#libs/database';
import { errorCode, PermanentFailure, RunLater } from '#libs/queue';
import { Metrics, Problem, type ServiceClient } from '#libs/service-kit';
import { LeaseLost, type Policy, settlementOf, type Verdict, verdictOf } from '#libs/work';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import { AdapterClient } from '../path/adapters/adapter-client.js';
import { wrongPoll } from '../path/adapters/answer-fields.js';
import { type CallTarget, CallTargets } from '../manage/apps/call-targets.js';
import { CredentialWaits } from '../path/apps/credential-waits.js';
import { type GatewaySettings, INGRESS, SETTINGS } from '../env.js';
import type { ConnectionGap, DegradedConnection, HeldConnection } from './held-connection.entity.js';
import { HeldConnectionRepository } from './held-connection.repository.js';

/** The service stops: another process goes on at once. */
class Stopping extends Error {}

/**
 * Asks providers for their events where they cannot reach this installation. One process holds an App's connection, by a
 * lease. Each event is stored by the ingress before the cursor moves past it, and the cursor tells the provider what it
 * may forget. So whatever dies, nothing is lost; what comes twice has the same id.
 */
@Injectable()
export class HeldConnections extends Sweeping {
  private readonly logger = new Logger('held-connections');
  private readonly held = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private readonly policy: Policy = {
    tries: Number.MAX_SAFE_INTEGER,
    backoff: { baseMs: 1_000, capMs: 60_000 },
    jitter: 0.2,
    ageMs: null,
    failuresAge: false,
  };
  private readonly soon: () => void;

  constructor(
    private readonly connections: HeldConnectionRepository,
    private readonly targets: CallTargets,
    private readonly adapters: AdapterClient,
    waits: CredentialWaits,
    losses: Liveness,
    metrics: Metrics,
    @Inject(INGRESS) private readonly ingress: ServiceClient,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {
    super();
    metrics.rows('gatehouse_held_connections', 'Apps whose provider is asked for its events, by state', 'state', () =>
      connections.counts(),
    );
    waits.onRelease(async (appIds) => {
      await connections.work.expedite('app_id = ANY($1)', [appIds]);
    });
    const sweeper = this.sweepEvery({
      name: 'held-connections',
      everyMs: settings.CONNECTION_SWEEP_MS,
      batch: settings.HELD_CONNECTIONS,
      losses,
      // A death says nothing about a connection that was only waiting for its provider.
      afterLoss: () => connections.work.freeGone(null),
      sweep: () => this.takeDue(),
    });
    this.soon = () => sweeper.soon();
  }

  /** Looks for connections that nobody holds now, not at the next sweep. */
  expedite(): void {
    this.soon();
  }

  override async onModuleDestroy(): Promise<void> {
    this.stopping.abort(new Stopping());
    await Promise.all([super.onModuleDestroy(), ...this.held]);
  }

  private async takeDue(): Promise<number> {
    const free = this.settings.HELD_CONNECTIONS - this.held.size;
    if (free <= 0) return 0;
    for (const row of await this.connections.work.claimDue(free)) {
      const holding = this.hold(row)
        .catch((error: unknown) =>
          this.logger.warn({ event: 'connection.failed', app: row.app_id, error: String(error) }),
        )
        .finally(() => this.held.delete(holding));
      this.held.add(holding);
    }
    return 0;
  }

  private async hold(row: HeldConnection): Promise<void> {
    const claim = { key: row.app_id, claim: row.claim };
    try {
      await this.connections.work.run(claim, (lost) => this.follow(row, AbortSignal.any([lost, this.stopping.signal])));
    } catch (error) {
      if (error instanceof LeaseLost) return;
      const verdict = outcomeOf(error);
      const detail =
        error instanceof Stopping ? null : (error instanceof Error ? error.message : String(error)).slice(0, 500);
      const settlement = settlementOf(row.app_id, row, verdict, this.policy);
      if (error instanceof Stopping) settlement.reason = null;
      else this.logger.warn({ event: 'connection.lost', app: row.app_id, code: settlement.reason, detail });
      await this.connections.leave(settlement, detail);
    }
  }

  /** @throws LeaseLost, Stopping, or why the provider could not be asked */
  private async follow(row: HeldConnection, ended: AbortSignal): Promise<never> {
    let { cursor, answered_at: answeredAt, gap: known, degraded } = row;
    for (;;) {
      const notBefore = pause(this.settings.CONNECTION_PAUSE_MS, undefined, { ref: false });
      const asked = await orAborted(this.ask(row.app_id, cursor), ended);
      let gap = asked.gap
        ? datedGap(asked.gap, answeredAt, this.reaching(known, answeredAt))
        : gapSince(answeredAt, asked.keepsSeconds);
      for (const event of asked.events) {
        ended.throwIfAborted();
        gap = (await this.store(row, event)) ?? gap;
      }
      if (gap) this.logger.warn({ event: 'connection.gap', app: row.app_id, ...gap });
      cursor = asked.cursor ?? cursor;
      const before = degraded?.error;
      degraded = asked.degraded ? degradedSince(asked.degraded, degraded?.since) : null;
      if (degraded && degraded.error !== before) {
        this.logger.warn({ event: 'connection.degraded', app: row.app_id, ...degraded });
      }
      if (!(await this.connections.advance(row, { cursor, events: asked.events.length, gap, degraded }))) {
        throw new LeaseLost(`another claim has ${row.app_id}`);
      }
      row.tries = 1;
      known = gap ?? known;
      // Where an adapter does not wait, this does.
      if (asked.events.length === 0) await orAborted(notBefore, ended);
      answeredAt = new Date();
    }
  }

  /** The last gap where it may still have grown when the provider last answered: it is reported once more, with a later end. */
  private reaching(gap: ConnectionGap | null, answeredAt: Date | null): ConnectionGap | null {
    if (!gap?.until || answeredAt === null) return null;
    return Date.parse(gap.until) + this.settings.CONNECTION_WAIT_S * 1_000 >= answeredAt.getTime() ? gap : null;
  }

  private ask(
    appId: string,
    cursor: string | null,
  ): Promise<Extract<PollResult, { ok: true }> & { keepsSeconds: number | null }> {
    const wait = this.settings.CONNECTION_WAIT_S;
    return this.targets.workWithApp(
      appId,
      async ({ baseUrl, manifest, credentials, context }: CallTarget) => {
        if (!manifest.connect) {
          throw new PermanentFailure(
            'connection_withdrawn',
            `the manifest in force of ${manifest.slug} offers no connect`,
          );
        }
        const body = { credentials, ...(cursor === null ? {} : { cursor }), wait_seconds: wait };
        const answer = await this.adapters.hold<PollResult>(baseUrl, '/poll', body, context, wait * 1_000, wrongPoll);
        if (answer.ok) return { ...answer, keepsSeconds: manifest.connect.keeps_seconds ?? null };
        const { message = answer.error, retry_after: after } = answer.error_detail ?? {};
        if (after !== undefined) throw new RunLater(after * 1_000, answer.error, message);
        throw Object.assign(new Error(message), { code: answer.error });
      },
      () => false,
    );
  }

  /**
   * Resolves once the ingress has it.
   * @returns an event that the ingress will never take: it would hold up all that follow
   */
  private async store(
    { app_id, organization_id, project_id }: HeldConnection,
    event: PolledEvent,
  ): Promise<ConnectionGap | null> {
    const scope = { organizationId: organization_id, projectId: project_id };
    try {
      const { id, body, headers } = event;
      const request = { as: 'fetched', id: id.slice(0, 500), body, headers };
      await this.ingress.post(`/internal/apps/${app_id}/fetched-requests`, scope, request);
      return null;
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 413) throw error;
      const now = new Date().toISOString();
      return { reason: 'event_too_large', since: now, until: now };
    }
  }
}

/**
 * As an adapter tells it, with its times as RFC 3339: where it says none, from the last answer until now.
 * @param growing reported by the last answer: it began where that says
 */
function datedGap(
  { reason, since, until }: ConnectionGap,
  answeredAt: Date | null,
  growing: ConnectionGap | null,
): ConnectionGap {
  const at = (text: string | undefined): string | null => {
    const ms = Date.parse(text ?? '');
    return Number.isNaN(ms) ? null : new Date(ms).toISOString();
  };
  const to = at(until) ?? new Date().toISOString();
  const known = answeredAt && answeredAt.toISOString() <= to ? answeredAt.toISOString() : null;
  const given = at(since) ?? known;
  const begun = growing?.reason === reason ? growing.since : undefined;
  const from = begun !== undefined && (given === null || begun < given) ? begun : given;
  return { reason: reason.slice(0, 100), ...(from && { since: from }), until: to };
}

/** @param since when the answer before this one said that a part fails, since when that was */
function degradedSince(
  { error, message }: Omit<DegradedConnection, 'since'>,
  since = new Date().toISOString(),
): DegradedConnection {
  return { error: error.slice(0, 100), message: message.slice(0, 500), since };
}

/** A silence that was longer than the provider keeps its events. */
function gapSince(answeredAt: Date | null, keepsSeconds: number | null): ConnectionGap | null {
  if (answeredAt === null || keepsSeconds === null) return null;
  const until = Date.now() - keepsSeconds * 1_000;
  if (until <= answeredAt.getTime()) return null;
  return { reason: 'away_too_long', since: answeredAt.toISOString(), until: new Date(until).toISOString() };
}

function outcomeOf(error: unknown): Verdict {
  if (error instanceof Stopping) return { do: 'later', ms: 0, code: 'stopping', ages: false };
  const verdict = verdictOf(error);
  // Nothing about a provider that refuses is for good: a person repairs it, and it goes on.
  if (verdict.do === 'dead' && !(error instanceof PermanentFailure)) return { do: 'retry', code: errorCode(error) };
  return verdict;
}

/** What a call gives, unless the signal aborts first: the answer is then of no use to anybody. */
async function orAborted<T>(call: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([call, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
