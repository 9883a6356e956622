import { LastingTrouble, Sweeping } from '#libs/database';
import { Metrics } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { HandOnSender, type LeftProject, PeerAway } from './hand-on-sender.js';
import { MoveRepository } from './move.repository.js';

const everyMs = 1_000;
/** While the other installation does not take them. */
const longestPauseMs = 30_000;
/** Installations to which this process hands on at a time. */
const mostLanes = 8;
/** For so long one of them keeps its place while it takes batches: others may wait for it. */
const laneMs = 10_000;

interface Pause {
  ms: number;
  untilMs: number;
}

/**
 * Hands on the webhooks of projects that have left, in the order in which they were received, until the other installation
 * has them. Each installation is tried by itself: one that hangs holds up nobody else's.
 */
@Injectable()
export class HandOnService extends Sweeping {
  private readonly trouble = new LastingTrouble('moves', 'webhooks.not_handed_on');
  /** By the address of an installation: what is being sent to it. */
  private readonly lanes = new Map<string, Promise<void>>();
  private readonly begunMs = new Map<string, number>();
  /** By the address of an installation, or by project. */
  private readonly pauses = new Map<string, Pause>();
  /** By the address of an installation: the project with which it failed last. */
  private readonly failedWith = new Map<string, string>();
  /** By project: since when its oldest webhook waits. */
  private readonly waitingSince = new Map<string, number>();
  private stopped = false;

  constructor(
    private readonly moves: MoveRepository,
    private readonly sender: HandOnSender,
    metrics: Metrics,
  ) {
    super();
    this.sweepEvery({ name: 'hand-on', everyMs, batch: 1, sweep: () => this.handOn() });
    metrics.gauge(
      'gatehouse_hand_on_oldest_seconds',
      'Age of the oldest webhook that the installation to which its project moved has not taken',
      () => this.oldestSeconds,
    );
  }

  override async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    await super.onModuleDestroy();
    await Promise.all(this.lanes.values());
  }

  /** Begins with each installation for which something may wait, and waits for none of them. */
  async handOn(): Promise<number> {
    const left = (await this.moves.left()).filter((held): held is LeftProject => held.peer !== null);
    this.forgetOthers(new Set(left.map(({ project_id: id }) => id)));
    const waited = ([peer]: [string, LeftProject[]]): number => this.begunMs.get(peer) ?? 0;
    for (const [peer, projects] of [...Map.groupBy(left, (held) => held.peer)].sort((a, b) => waited(a) - waited(b))) {
      if (this.lanes.size >= mostLanes) break;
      if (this.lanes.has(peer) || this.isPaused(peer)) continue;
      this.begunMs.set(peer, performance.now());
      this.lanes.set(
        peer,
        this.handOnTo(peer, projects).finally(() => this.lanes.delete(peer)),
      );
    }
    return 0;
  }

  /** Its projects take turns, a batch each. */
  private async handOnTo(peer: string, projects: LeftProject[]): Promise<void> {
    const endMs = performance.now() + laneMs;
    let turn: LeftProject[] = [];
    // It may fail because of one project: the next time it is tried with the one after it.
    const from = 1 + projects.findIndex(({ project_id: id }) => id === this.failedWith.get(peer));
    // All of them, before it turns out that their installation is away: the metric is of each.
    for (const held of [...projects.slice(from), ...projects.slice(0, from)]) {
      if (!this.isPaused(held.project_id) && (await this.waits(held))) turn.push(held);
    }
    while (turn.length > 0 && !this.stopped && performance.now() < endMs) {
      const more: LeftProject[] = [];
      for (const held of turn) {
        const result = await this.send(held);
        if (result === 'away') return;
        if (result === 'more') more.push(held);
      }
      turn = more;
    }
    this.pauses.delete(peer);
  }

  private async waits(held: LeftProject): Promise<boolean> {
    const { project_id: id } = held;
    try {
      const since = await this.sender.waitsSince(held);
      if (since === null) {
        this.waitingSince.delete(id);
        this.works(id);
      } else this.waitingSince.set(id, since);
      return since !== null;
    } catch (error) {
      this.fails(id, id, error);
      return false;
    }
  }

  private async send(held: LeftProject): Promise<'more' | 'done' | 'away'> {
    const { project_id: id, peer } = held;
    try {
      const isMore = await this.sender.send(held);
      this.works(id);
      return isMore ? 'more' : 'done';
    } catch (error) {
      const isAway = error instanceof PeerAway;
      if (isAway) this.failedWith.set(peer, id);
      this.fails(isAway ? peer : id, id, error);
      return isAway ? 'away' : 'done';
    }
  }

  private works(id: string): void {
    this.pauses.delete(id);
    this.trouble.works(id);
  }

  private fails(paused: string, id: string, error: unknown): void {
    const ms = Math.min(longestPauseMs, 2 * (this.pauses.get(paused)?.ms ?? everyMs / 2));
    this.pauses.set(paused, { ms, untilMs: performance.now() + ms });
    this.trouble.fails(id, error);
  }

  private isPaused(key: string): boolean {
    return (this.pauses.get(key)?.untilMs ?? 0) > performance.now();
  }

  private forgetOthers(left: ReadonlySet<string>): void {
    for (const id of this.waitingSince.keys()) {
      if (left.has(id)) continue;
      this.waitingSince.delete(id);
      this.works(id);
    }
  }

  private get oldestSeconds(): number {
    const since = [...this.waitingSince.values()];
    return since.length === 0 ? 0 : Math.max(0, (Date.now() - Math.min(...since)) / 1_000);
  }
}
