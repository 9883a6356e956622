import type { Endpoint } from '#libs/contracts';
import { Sweeper } from '#libs/database';
import { type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { hash as digest } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { GATEWAY } from '../services.js';
import { EndpointRepository } from './endpoint.repository.js';

const pullEveryMs = 5_000;
/** An unknown token waits for the gateway to be asked (an App may be new), which is no more often than this. */
const missPullEveryMs = 200;
/** Versions come from a sequence, and a lower one may be committed after a higher one: look back this far. */
const versionOverlap = 50;

/** Tokens whose hash is kept in memory. */
const maxHashes = 10_000;

export type Found = { endpoint: Endpoint } | 'retired' | null;

/** Every endpoint in memory, kept true by asking the gateway for what changed since. */
@Injectable()
export class EndpointService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('endpoints');
  private readonly byTokenHash = new Map<string, Endpoint>();
  private readonly byApp = new Map<string, Endpoint>();
  /** Tokens before the last rotation, with the App they lead to and until when. */
  private readonly previous = new Map<string, { appId: string; untilMs: number }>();
  private readonly retired = new Set<string>();
  /** By token, of those in use: hashing one takes longer than all the rest of finding its App. */
  private readonly hashes = new Map<string, string>();
  private readonly resumed: ((appId: string) => void)[] = [];
  private version = 0;
  private pulling: Promise<void> | null = null;
  private next: Promise<void> | null = null;
  private lastPullMs = 0;
  private readonly puller = new Sweeper({
    name: 'endpoints',
    everyMs: pullEveryMs,
    batch: 1,
    sweep: async () => {
      await this.pull();
      return 0;
    },
  });

  constructor(
    private readonly repository: EndpointRepository,
    @Inject(GATEWAY) private readonly gateway: ServiceClient,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    for (const endpoint of await this.repository.all()) this.remember(endpoint);
    this.puller.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.puller.stop();
  }

  /** Calls back when an App that was paused takes messages again. */
  onResumed(callback: (appId: string) => void): void {
    this.resumed.push(callback);
  }

  /** @returns null when no App is known here to have, or have had, this token */
  known(token: string): Found {
    const seen = this.hashes.get(token);
    if (seen !== undefined) return this.lookUp(seen);
    const hash = digest('sha256', token);
    const found = this.lookUp(hash);
    if (found !== null && found !== 'retired') {
      if (this.hashes.size >= maxHashes) this.hashes.clear();
      this.hashes.set(token, hash);
    }
    return found;
  }

  /** Asks the gateway about a token that is not known: an App may be new. */
  async find(token: string): Promise<Found> {
    await this.pullAfterNow();
    return this.known(token);
  }

  get(appId: string): Endpoint | null {
    return this.byApp.get(appId) ?? null;
  }

  /** Reads what changed since the last time; a gateway that is away changes nothing. */
  pull(): Promise<void> {
    this.pulling ??= this.pullNow().finally(() => {
      this.pulling = null;
    });
    return this.pulling;
  }

  /** A reading that begins after now: one in flight may have missed the App that somebody has just made. */
  private pullAfterNow(): Promise<void> {
    this.next ??= (async () => {
      await this.pulling;
      await pause(Math.max(0, this.lastPullMs + missPullEveryMs - Date.now()));
      this.next = null;
      await this.pull();
    })();
    return this.next;
  }

  private lookUp(hash: string): Found {
    const previous = this.previous.get(hash);
    if (previous && previous.untilMs <= Date.now()) return 'retired';
    const endpoint = previous ? this.byApp.get(previous.appId) : this.byTokenHash.get(hash);
    if (endpoint) return endpoint.state === 'retired' ? 'retired' : { endpoint };
    return this.retired.has(hash) ? 'retired' : null;
  }

  private async pullNow(): Promise<void> {
    this.lastPullMs = Date.now();
    try {
      const { endpoints } = await this.gateway.get<{ endpoints: Endpoint[] }>(
        `/internal/endpoints?after=${Math.max(0, this.version - versionOverlap)}`,
        { organizationId: '', projectId: '' },
      );
      const news = endpoints.filter((endpoint) => (this.byApp.get(endpoint.app_id)?.version ?? 0) < endpoint.version);
      if (news.length === 0) return;
      await this.repository.save(news);
      for (const endpoint of news) this.remember(endpoint);
    } catch (error) {
      this.logger.warn(`endpoints not read from the gateway: ${String(error)}`);
    }
  }

  private remember(endpoint: Endpoint): void {
    const before = this.byApp.get(endpoint.app_id);
    if (before && before.version > endpoint.version) return;
    if (before && before.token_hash !== endpoint.token_hash) this.byTokenHash.delete(before.token_hash);
    if (before?.previous_token) this.previous.delete(before.previous_token.hash);
    const { previous_token: previous } = endpoint;
    if (previous) {
      this.previous.set(previous.hash, { appId: endpoint.app_id, untilMs: Date.parse(previous.until) });
    }
    this.byApp.set(endpoint.app_id, endpoint);
    this.byTokenHash.set(endpoint.token_hash, endpoint);
    for (const hash of endpoint.retired_token_hashes) this.retired.add(hash);
    this.version = Math.max(this.version, endpoint.version);
    if (before?.state === 'paused' && endpoint.state === 'active') {
      for (const callback of this.resumed) callback(endpoint.app_id);
    }
  }
}
