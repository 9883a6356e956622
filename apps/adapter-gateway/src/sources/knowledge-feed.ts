import { Sweeping } from '#libs/database';
import { errorCode } from '#libs/queue';
import { Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { ENGINE, type GatewaySettings, SETTINGS } from '../env.js';
import { effectiveAccess } from './effective-access.js';
import { KnowledgeFeedRepository, type PendingDocument } from './knowledge-feed.repository.js';

/** Longer than a call to the engine may take. */
const leaseMs = 15_000;
const retryMs = 2_000;
const longestWaitMs = 3_600_000;

/**
 * Gives every change of a document to the engine, for its knowledge. A change stays marked in its row until the engine
 * has taken it, and a version that is taken twice counts once there.
 */
@Injectable()
export class KnowledgeFeed extends Sweeping {
  private readonly logger = new Logger('knowledge-feed');

  constructor(
    private readonly documents: KnowledgeFeedRepository,
    @Inject(ENGINE) private readonly engine: ServiceClient,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {
    super();
    this.sweepEvery({
      name: 'knowledge-feed',
      everyMs: settings.SYNC_SWEEP_MS,
      batch: settings.KNOWLEDGE_FEED_CONCURRENCY,
      sweep: (limit) => this.feed(limit),
    });
  }

  /** @returns how many were handled. @throws Problem when the engine takes nothing at the moment */
  private async feed(limit: number): Promise<number> {
    const due = await this.documents.claim(limit, leaseMs);
    const results = await Promise.allSettled(due.map((document) => this.offer(document)));
    const failed = results.find((result) => result.status === 'rejected');
    for (const [at, document] of due.entries()) {
      const result = results[at];
      if (result?.status !== 'rejected') continue;
      const wait = { leastMs: retryMs, mostMs: retryMs };
      await this.documents.failed(document, notTakenFor(result.reason), wait);
    }
    if (failed) throw failed.reason;
    return due.length;
  }

  private async offer(document: PendingDocument, tooLarge = this.isTooLarge(document)): Promise<void> {
    const { id, organization_id: organizationId, project_id: projectId } = document;
    const version = await this.versionOf(document, document.state === 'removed' || tooLarge);
    if (version === null) return;
    try {
      const path = `/internal/synced-documents/${id}`;
      const { outcome } = await this.engine.put<{ outcome: string }>(path, { organizationId, projectId }, version);
      const isKept = document.state === 'current';
      await this.documents.taken(document, isKept && tooLarge ? 'too_large' : outcome);
    } catch (error) {
      if (!(error instanceof Problem) || [401, 403, 429, 503].includes(error.status)) throw error;
      // Handled as over the limit: the previous version has to go.
      if (error.status === 413 && !tooLarge) return this.offer(document, true);
      this.logger.error({ event: 'document.not_taken', document: id, code: error.code, detail: error.detail });
      // It is retried: an engine of another release may take it.
      await this.documents.failed(document, error, { leastMs: leaseMs, mostMs: longestWaitMs });
    }
  }

  private isTooLarge({ size }: PendingDocument): boolean {
    return size > this.settings.KNOWLEDGE_MAX_FILE_BYTES;
  }

  /** @returns null when it has changed since it was claimed: then it is due again */
  private async versionOf(document: PendingDocument, removed: boolean): Promise<object | null> {
    const { revision, path, trust, source_id, fingerprint, sha256 } = document;
    const provenance = { source_id, path, fingerprint, sha256, ...document.provenance };
    const access = effectiveAccess(document, document.set);
    const version = { revision, removed, path, trust, ...access, provenance };
    // One that has grown too large is removed as well: the previous version would pass for the current one.
    if (removed) return version;
    const content = await this.documents.contentOf(document);
    if (content === null) return null;
    const { content_type } = document;
    return { ...version, content_type, content_base64: content.toString('base64') };
  }
}

function notTakenFor(error: unknown): { code: string; detail: string } {
  if (error instanceof Problem) return error;
  return { code: errorCode(error), detail: 'The change could not be sent to the engine.' };
}
