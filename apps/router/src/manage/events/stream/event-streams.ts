import type { ProjectScope } from '#libs/contracts';
import { Database } from '#libs/database';
import { bySetting, limitReached, Metrics, Problem } from '#libs/service-kit';
import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { type RouterSettings, SETTINGS } from '../../../env.js';
import { ScopeFeed } from './scope-feed.js';
import { StreamClient, type StreamFilter } from './stream-client.js';

/** Anything older is not sent again: the client has to request the list. */
const resumableMs = 3_600_000;

/** The live streams of this process: one read of the journal serves everybody who listens to a project. */
@Injectable()
export class EventStreams implements OnModuleDestroy {
  private readonly logger = new Logger('event-streams');
  private readonly feeds = new Map<string, ScopeFeed>();
  private timer: NodeJS.Timeout | undefined;
  private open = 0;

  constructor(
    private readonly db: Database,
    metrics: Metrics,
    @Inject(SETTINGS) private readonly settings: RouterSettings,
  ) {
    metrics.gauge('gatehouse_event_streams', 'Live streams of events that are open', () => this.open);
  }

  /** @throws Problem 429 or 503 `too_many_streams`, before anything is sent */
  requireRoom({ projectId }: ProjectScope): void {
    const later = { 'retry-after': '10' };
    if (this.open >= this.settings.EVENT_STREAMS) {
      throw new Problem(
        503,
        'too_many_streams',
        'This service has reached its limit of open streams: try again later.',
        [],
        later,
      );
    }
    if ((this.feeds.get(projectId)?.clients.size ?? 0) >= this.settings.EVENT_STREAMS_PER_PROJECT) {
      const name = 'EVENT_STREAMS_PER_PROJECT';
      const limit = { name, of: 'project', value: this.settings[name], raise: bySetting(name, 'router') } as const;
      throw limitReached('too_many_streams', 'The project has too many live streams open: close one', limit, 10);
    }
  }

  /** @param after the time of the last entry that the client has, or null for a new client */
  async serve(scope: ProjectScope, filter: StreamFilter, after: Date | null, response: ServerResponse): Promise<void> {
    const feed = this.feedOf(scope);
    this.open += 1;
    const limits = {
      heartbeatMs: this.settings.EVENT_STREAM_HEARTBEAT_MS,
      maxMs: this.settings.EVENT_STREAM_MAX_MS,
      bufferBytes: this.settings.EVENT_STREAM_BUFFER_BYTES,
    };
    const client = new StreamClient(response, filter, limits, () => {
      this.open -= 1;
      feed.clients.delete(client);
      if (feed.clients.size === 0) this.feeds.delete(scope.projectId);
    });
    feed.clients.add(client);
    this.schedule();
    // A new client may have read a list just before: what was being written then is sent.
    const since = after ?? new Date();
    const tooOld = Date.now() - since.getTime() > resumableMs;
    try {
      const { missed, complete } = tooOld ? { missed: [], complete: false } : await feed.missed(since);
      client.begin(missed, complete);
    } catch (error) {
      this.logger.warn(`an event stream was not begun: ${String(error)}`);
      client.end();
    }
  }

  /** Runs before the server waits for its connections to end. */
  onModuleDestroy(): void {
    clearTimeout(this.timer);
    for (const feed of this.feeds.values()) for (const client of feed.clients) client.end();
  }

  private feedOf(scope: ProjectScope): ScopeFeed {
    let feed = this.feeds.get(scope.projectId);
    if (!feed) {
      feed = new ScopeFeed(this.db, scope);
      this.feeds.set(scope.projectId, feed);
    }
    return feed;
  }

  private schedule(): void {
    this.timer ??= setTimeout(() => void this.poll(), this.settings.EVENT_STREAM_POLL_MS);
  }

  private async poll(): Promise<void> {
    const polls = await Promise.allSettled([...this.feeds.values()].map((feed) => feed.poll()));
    for (const poll of polls)
      if (poll.status === 'rejected') this.logger.warn(`an event stream was not polled: ${String(poll.reason)}`);
    this.timer = undefined;
    if (this.feeds.size > 0) this.schedule();
  }
}
