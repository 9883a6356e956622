import type { Endpoint } from '#libs/contracts';
import { ChangeListener, Database, LastingTrouble, Sweeper } from '#libs/database';
import { type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { hash as digest } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { EndpointRow } from '../../entities/ingress.entity.js';
import { GATEWAY, type IngressSettings, SETTINGS } from '../../env.js';

/** The gateway is asked about unknown tokens, since an App may be new, but no more often than this. */
const missPullEveryMs = 200;
/** After a change, the gateway is asked again this often until it has answered. */
const retryPullMs = 200;
/** Versions come from a sequence, and a lower one may commit after a higher one: read back this far. */
const versionOverlap = 50;

/** Most tokens whose hash is kept in memory. */
const maxHashes = 10_000;

export type Found = { endpoint: Endpoint } | 'retired' | null;

/** All endpoints, in memory, kept current by asking the gateway for changes. */
@Injectable()
export class EndpointService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly trouble = new LastingTrouble('endpoints', 'endpoints.not_read');
  private readonly byTokenHash = new Map<string, Endpoint>();
  private readonly byApp = new Map<string, Endpoint>();
  /** Tokens replaced by the last rotation, with their App and their expiry. */
  private readonly previous = new Map<string, { appId: string; untilMs: number }>();
  private readonly retired = new Set<string>();
  /** By token, for those in use: hashing a token takes longer than the rest of finding its App. */
  private readonly hashes = new Map<string, string>();
  private readonly resumed: ((appId: string) => void)[] = [];
  private version = 0;
  private pulling: Promise<boolean> | null = null;
  private next: Promise<boolean> | null = null;
  private lastPullMs = 0;
  private changed = false;
  private following: Promise<void> | null = null;
  private readonly stopping = new AbortController();
  private readonly puller: Sweeper;

  constructor(
    private readonly db: Database,
    @Inject(GATEWAY) private readonly gateway: ServiceClient,
    changes: ChangeListener,
    @Inject(SETTINGS) { ENDPOINT_PULL_MS: everyMs }: Pick<IngressSettings, 'ENDPOINT_PULL_MS'>,
  ) {
    const sweep = async (): Promise<number> => {
      await this.pull();
      return 0;
    };
    this.puller = new Sweeper({ name: 'endpoints', everyMs, batch: 1, sweep });
    changes.on('app', () => this.follow());
  }

  async onApplicationBootstrap(): Promise<void> {
    for (const { definition } of await this.db.getRepository(EndpointRow).find()) this.remember(definition);
    this.puller.start();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.following;
    await this.puller.stop();
  }

  /** Calls back when a paused App takes messages again. */
  onResumed(callback: (appId: string) => void): void {
    this.resumed.push(callback);
  }

  /** @returns null when no App known here has, or had, this token */
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

  /** Asks the gateway about an unknown token: an App may be new. */
  async find(token: string): Promise<Found> {
    await this.pullAfterNow();
    return this.known(token);
  }

  get(appId: string): Endpoint | null {
    return this.byApp.get(appId) ?? null;
  }

  /** Ids of the Apps of a project. */
  appsOf(projectId: string): string[] {
    return [...this.byApp.values()].flatMap(({ app_id: id, project_id: of }) => (of === projectId ? [id] : []));
  }

  /** Reads at once what changed: an App may have another secret, or none any longer. */
  private follow(): void {
    this.changed = true;
    this.following ??= this.readChanges().finally(() => {
      this.following = null;
    });
  }

  private async readChanges(): Promise<void> {
    const { signal } = this.stopping;
    while (this.changed && !signal.aborted) {
      this.changed = false;
      while (this.pulling) await this.pulling;
      if (await this.pull()) continue;
      this.changed = true;
      await pause(retryPullMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Reads what changed since the last call. @returns false when the gateway did not answer: then nothing changes */
  private pull(): Promise<boolean> {
    this.pulling ??= this.pullNow().finally(() => {
      this.pulling = null;
    });
    return this.pulling;
  }

  /** A reading that starts after now: one in flight may miss what was just written. @returns as `pull` */
  pullAfterNow(): Promise<boolean> {
    this.next ??= (async () => {
      await pause(Math.max(0, this.lastPullMs + missPullEveryMs - Date.now()));
      while (this.pulling) await this.pulling;
      this.next = null;
      return this.pull();
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

  private async pullNow(): Promise<boolean> {
    this.lastPullMs = Date.now();
    try {
      const { endpoints } = await this.gateway.get<{ endpoints: Endpoint[] }>(
        `/internal/endpoints?after=${Math.max(0, this.version - versionOverlap)}`,
        { organizationId: '', projectId: '' },
      );
      const news = endpoints.filter((endpoint) => (this.byApp.get(endpoint.app_id)?.version ?? 0) < endpoint.version);
      this.trouble.works('gateway');
      if (news.length === 0) return true;
      await this.save(news);
      for (const endpoint of news) this.remember(endpoint);
      return true;
    } catch (error) {
      this.trouble.fails('gateway', error);
      return false;
    }
  }

  private async save(endpoints: Endpoint[]): Promise<void> {
    // In key order: two replicas that save the same endpoints must not deadlock.
    const sorted = [...endpoints].sort((a, b) => (a.app_id < b.app_id ? -1 : 1));
    await this.db.getRepository(EndpointRow).upsert(
      sorted.map((endpoint) => ({
        app_id: endpoint.app_id,
        token_hash: endpoint.token_hash,
        version: endpoint.version,
        definition: endpoint as object,
      })),
      ['app_id'],
    );
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
