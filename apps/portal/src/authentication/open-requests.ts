import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { ApiKeyRepository } from '../api-keys/api-key.repository.js';

/** Well below the second within which a revoked key has to work nowhere. */
const checkEveryMs = 400;

/**
 * The requests that are being answered, by the key that they came with. What stays open (a live stream above all) ends when
 * its key was revoked, or has expired: one question for all keys, asked while anything has been open since the last one.
 */
@Injectable()
export class OpenRequests implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('authentication');
  private readonly open = new Map<string, Set<ServerResponse>>();
  private seen = new Set<ServerResponse>();
  private timer: NodeJS.Timeout | undefined;
  private checking = false;

  constructor(@Inject(ApiKeyRepository) private readonly keys: ApiKeyRepository) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.check(), checkEveryMs);
    this.timer.unref();
  }

  /** Live streams end with this process: their clients come back to another one, and resume. */
  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
    for (const response of [...this.open.values()].flatMap((responses) => [...responses])) {
      if (String(response.getHeader('content-type')).startsWith('text/event-stream')) response.destroy();
    }
  }

  enter(keyId: string, response: ServerResponse): void {
    const responses = this.open.get(keyId) ?? new Set();
    this.open.set(keyId, responses.add(response));
    response.once('close', () => {
      responses.delete(response);
      this.seen.delete(response);
      if (responses.size === 0 && this.open.get(keyId) === responses) this.open.delete(keyId);
    });
  }

  /** Most requests are over before they were seen twice: they cost no question. */
  private async check(): Promise<void> {
    if (this.checking) return;
    const lasting = [...this.open].filter(([, responses]) => [...responses].some((each) => this.seen.has(each)));
    this.seen = new Set([...this.open.values()].flatMap((responses) => [...responses]));
    if (lasting.length === 0) return;
    this.checking = true;
    try {
      const valid = await this.keys.validAmong(lasting.map(([keyId]) => keyId));
      for (const [keyId, responses] of lasting) if (!valid.has(keyId)) for (const each of responses) each.destroy();
    } catch (error) {
      // Nothing can be revoked meanwhile either.
      this.logger.warn({ event: 'keys.not_checked', error: String(error) });
    } finally {
      this.checking = false;
    }
  }
}
