import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { ApiKeyRepository } from '../api-keys/api-key.repository.js';
import { MemberSessionRepository } from './member-session.repository.js';

/** Well below the one second within which a revoked key must stop working everywhere. */
const checkEveryMs = 400;

/**
 * Requests in flight, by the key or session that they came with. A request that stays open, above all a live stream, is
 * closed once its credential is revoked, has expired or grants different rights. One query checks all keys and one all
 * sessions, but only while a request has been open since the last check.
 */
@Injectable()
export class OpenRequests implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('authentication');
  private readonly open = new Map<string, Set<ServerResponse>>();
  private seen = new Set<ServerResponse>();
  private timer: NodeJS.Timeout | undefined;
  private checking = false;

  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly sessions: MemberSessionRepository,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.check(), checkEveryMs);
    this.timer.unref();
  }

  /** Closes live streams on shutdown: their clients reconnect to another replica and resume. */
  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
    for (const response of [...this.open.values()].flatMap((responses) => [...responses])) {
      if (String(response.getHeader('content-type')).startsWith('text/event-stream')) response.destroy();
    }
  }

  /** @param holder of `Authenticated` */
  enter(holder: string, response: ServerResponse): void {
    const responses = this.open.get(holder) ?? new Set();
    this.open.set(holder, responses.add(response));
    response.once('close', () => {
      responses.delete(response);
      this.seen.delete(response);
      if (responses.size === 0 && this.open.get(holder) === responses) this.open.delete(holder);
    });
  }

  /** Most requests end before they are seen twice, so they cost no query. */
  private async check(): Promise<void> {
    if (this.checking) return;
    const lasting = [...this.open].filter(([, responses]) => [...responses].some((each) => this.seen.has(each)));
    this.seen = new Set([...this.open.values()].flatMap((responses) => [...responses]));
    if (lasting.length === 0) return;
    this.checking = true;
    try {
      const valid = await this.validAmong(lasting.map(([holder]) => holder));
      for (const [holder, responses] of lasting) if (!valid.has(holder)) for (const each of responses) each.destroy();
    } catch (error) {
      // While the database is away, nothing can be revoked either.
      this.logger.warn({ event: 'keys.not_checked', error: String(error) });
    } finally {
      this.checking = false;
    }
  }

  private async validAmong(holders: string[]): Promise<Set<string>> {
    const sessions = holders.filter((holder) => holder.startsWith('session:'));
    const keys = holders.filter((holder) => holder.startsWith('key:'));
    const [ofKeys, ofSessions] = await Promise.all([
      keys.length > 0 ? this.keys.validAmong(keys) : new Set<string>(),
      sessions.length > 0 ? this.sessions.validAmong(sessions) : new Set<string>(),
    ]);
    return new Set([...ofKeys, ...ofSessions]);
  }
}
