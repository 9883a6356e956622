import { bySetting, limitReached, Metrics, Problem } from '#libs/service-kit';
import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { PreviewClient } from './preview-client.js';
import { PreviewRepository } from './preview.repository.js';
import { type PreviewListener, Previews, type TurnPreview } from '../../path/previews/previews.service.js';
import { SessionFeed } from './session-feed.js';

/** The streams of previews that this process serves: one read of the rows serves everybody who follows a session. */
@Injectable()
export class PreviewStreams implements OnModuleDestroy, PreviewListener {
  private readonly logger = new Logger('preview-streams');
  private readonly feeds = new Map<string, SessionFeed>();
  private readonly openOf = new Map<string, number>();
  /** Previews of this process that have changed since they were shown. */
  private readonly changes = new Set<TurnPreview>();
  /** Turns of this process that ended while rows were read: those may still have them. */
  private readonly endedMeanwhile = new Set<string>();
  private reads = 0;
  private shownAtMs = 0;
  private showing: NodeJS.Timeout | undefined;
  private polling: NodeJS.Timeout | undefined;
  private open = 0;

  constructor(
    private readonly previews: Previews,
    private readonly rows: PreviewRepository,
    metrics: Metrics,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {
    previews.follow(this);
    metrics.gauge('gatehouse_turn_streams', 'Streams of what turns write that are open', () => this.open);
  }

  /** @throws Problem 429 or 503 `too_many_streams`, before anything is sent */
  requireRoom(projectId: string): void {
    const { TURN_STREAMS: most, TURN_STREAMS_PER_PROJECT: mostOfProject } = this.settings;
    if (this.open >= most) {
      const words = 'This service has reached its limit of open streams: try again later.';
      throw new Problem(503, 'too_many_streams', words, [], { 'retry-after': '10' });
    }
    if ((this.openOf.get(projectId) ?? 0) < mostOfProject) return;
    const name = 'TURN_STREAMS_PER_PROJECT';
    const limit = { name, of: 'project', value: mostOfProject, raise: bySetting(name, 'engine') } as const;
    throw limitReached('too_many_streams', 'The project has too many live streams open: close one', limit, 10);
  }

  /** @param sessionId of the project */
  serve(projectId: string, sessionId: string, response: ServerResponse): void {
    const feed = this.feeds.get(sessionId) ?? new SessionFeed();
    this.feeds.set(sessionId, feed);
    this.count(projectId, 1);
    const { EVENT_STREAM_HEARTBEAT_MS: heartbeatMs, EVENT_STREAM_MAX_MS: maxMs } = this.settings;
    const client = new PreviewClient(feed, response, { heartbeatMs, maxMs }, () => {
      this.count(projectId, -1);
      feed.clients.delete(client);
      if (feed.clients.size === 0 && this.feeds.get(sessionId) === feed) this.feeds.delete(sessionId);
    });
    feed.clients.add(client);
    for (const preview of this.previews.liveOf(sessionId)) if (preview.row.version > 0) feed.show(preview.row);
    client.pump();
    if (this.polling === undefined) void this.poll();
  }

  changed(preview: TurnPreview, sessionId: string): void {
    const feed = this.feeds.get(sessionId);
    if (!feed) return;
    // The first words at once, the next ones as they gather.
    if (preview.row.version === 1) return feed.show(preview.row);
    this.changes.add(preview);
    if (this.showing !== undefined) return;
    const waitMs = Math.max(0, this.shownAtMs + this.settings.TURN_STREAM_EVERY_MS - performance.now());
    this.showing = setTimeout(() => this.show(), waitMs);
  }

  ended(turnId: string, sessionId: string): void {
    if (this.reads > 0) this.endedMeanwhile.add(turnId);
    this.feeds.get(sessionId)?.end(turnId);
  }

  /** Runs before the server waits for its connections to end. */
  onModuleDestroy(): void {
    clearTimeout(this.polling);
    clearTimeout(this.showing);
    for (const feed of this.feeds.values()) for (const client of feed.clients) client.end();
    // A read that runs finds nobody to read for again.
    this.feeds.clear();
  }

  private show(): void {
    this.showing = undefined;
    this.shownAtMs = performance.now();
    for (const { row } of this.changes) {
      if (this.previews.isLive(row.turn_id)) this.feeds.get(row.session_id)?.show(row);
    }
    this.changes.clear();
  }

  private async poll(): Promise<void> {
    this.polling = undefined;
    const sessions = [...this.feeds.keys()];
    if (sessions.length === 0) return;
    const known = [...this.feeds.values()].flatMap(({ turns }) =>
      [...turns.values()].map(({ turn_id, claim, version }) => ({ turn_id, claim, version })),
    );
    this.reads += 1;
    try {
      const rows = await this.rows.of(sessions, known);
      const found = Map.groupBy(
        rows.filter(({ turn_id }) => !this.endedMeanwhile.has(turn_id)),
        (row) => row.session_id,
      );
      for (const id of sessions) this.feeds.get(id)?.take(found.get(id) ?? [], (turn) => this.previews.isLive(turn));
    } catch (error) {
      this.logger.warn({ event: 'previews.not_read', reason: String(error) });
    } finally {
      this.reads -= 1;
      if (this.reads === 0) this.endedMeanwhile.clear();
    }
    if (this.feeds.size > 0) this.polling ??= setTimeout(() => void this.poll(), this.settings.TURN_STREAM_EVERY_MS);
  }

  private count(projectId: string, by: 1 | -1): void {
    this.open += by;
    const open = (this.openOf.get(projectId) ?? 0) + by;
    if (open === 0) this.openOf.delete(projectId);
    else this.openOf.set(projectId, open);
  }
}
