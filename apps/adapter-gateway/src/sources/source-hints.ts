import type { NormalizedMessage } from '#libs/contracts';
import { Injectable, Logger } from '@nestjs/common';
import type { SourceRow } from './source.entity.js';
import { SourceRepository } from './source.repository.js';
import { SourceSyncs } from './source-syncs.js';
import type { InstalledApp } from '../path/apps/installed-apps.js';
import { InboundService } from '../path/inbound/inbound.service.js';

const freshMs = 1_000;
const maxCached = 10_000;

/** Starts a sync early when messages of an App say that its documents have changed. */
@Injectable()
export class SourceHints {
  private readonly logger = new Logger('source-hints');
  private readonly known = new Map<string, { sources: Promise<SourceRow[]>; untilMs: number }>();

  constructor(
    private readonly sources: SourceRepository,
    private readonly syncs: SourceSyncs,
    inbound: InboundService,
  ) {
    inbound.onParsed((installed, messages) => this.hear(installed, messages));
  }

  /** Never throws: a hint that is lost costs time, no documents. */
  private async hear({ app, adapter }: InstalledApp, messages: NormalizedMessage[]): Promise<void> {
    if (!adapter) return;
    try {
      const events = new Set(messages.map(({ event_type: type }) => type));
      const hinted = (await this.sourcesOf(app.id)).filter(
        ({ state, hint_events: hints }) => state === 'active' && hints.some((event) => events.has(event)),
      );
      await Promise.all(hinted.map((source) => this.syncs.start(source, 'webhook')));
    } catch (error) {
      this.logger.warn({ event: 'source.hint_lost', app: app.id, error: String(error) });
    }
  }

  private sourcesOf(appId: string): Promise<SourceRow[]> {
    const known = this.known.get(appId);
    if (known && known.untilMs > Date.now()) return known.sources;
    if (this.known.size >= maxCached) this.known.clear();
    const sources = this.sources.ofApp(appId);
    this.known.set(appId, { sources, untilMs: Date.now() + freshMs });
    sources.catch(() => this.known.delete(appId));
    return sources;
  }
}
