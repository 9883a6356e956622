import { interimOf, offersFeature } from '#libs/adapter-sdk';
import {
  type InboundParsePayload,
  type InboundRequest,
  messageRoute,
  type MessageRoutePayload,
  type NormalizedMessage,
  type Outcome,
  type RequestFacts,
  routeKey,
  scopeOf,
  type Stage,
  type UncommittedEntry,
} from '#libs/contracts';
import { Sweeping } from '#libs/database';
import { directParse, markersIn, requestFacts, validMarkers } from '#libs/direct-app';
import { Journal, type JournalEntry } from '#libs/journal';
import { JobClient, PermanentFailure } from '#libs/queue';
import { Metrics, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { canSend, type InstalledApp, InstalledApps, requireReceiving } from '../apps/installed-apps.js';
import { ParsedMessagesRepository } from './inbound.repository.js';
import { type GatewaySettings, INGRESS, SETTINGS } from '../../env.js';
import { NumberedChoices } from '../deliveries/message-features.js';
import { InboundCalls, shortText, type Webhook } from './inbound-calls.js';
import { requireDepth } from './normalized-messages.js';
import { MessageOrigins, ProviderStatuses } from './sent-messages.js';

const cleanEveryMs = 600_000;
/** The router reads them within seconds. A receipt enqueued after this is parsed and stored again. */
const parsedMessagesKeptMs = 86_400_000;

/** A handshake that only parsing revealed: by then its sender has the acknowledgement. */
const lateChallenge = {
  reason: 'answered_too_late',
  detail: {
    error:
      'The adapter says that this is a handshake. It was not recognised as one, or the adapter did not answer in time, ' +
      'so the sender got the acknowledgement of a message, not the answer to its handshake.',
    to_do:
      'Declare it in the manifest as webhook.handshake (method, match, respond), then let the provider send it again.',
  },
};

/** Gets an App's messages before they are routed; they wait for it, and never fail by it. */
export type ParsedListener = (installed: InstalledApp, messages: NormalizedMessage[]) => Promise<void>;

/** Takes mails that continue a conversation in a web chat, by which an answer had gone by mail (docs/decisions/0189). */
export abstract class RepliesByMail {
  /** @returns what is to be routed here, and the event in which the rest goes on. @throws when it is to be tried again */
  abstract take(
    installed: InstalledApp,
    job: InboundParsePayload,
    messages: NormalizedMessage[],
  ): Promise<{ left: NormalizedMessage[]; into: string | null }>;
}

/** Verifies (where the ingress has not) and parses one receipt, and hands its messages to the router. */
@Injectable()
export class InboundService extends Sweeping {
  private readonly listeners: ParsedListener[] = [];

  constructor(
    private readonly installed: InstalledApps,
    private readonly calls: InboundCalls,
    private readonly parsed: ParsedMessagesRepository,
    private readonly origins: MessageOrigins,
    private readonly statuses: ProviderStatuses,
    private readonly choices: NumberedChoices,
    private readonly replies: RepliesByMail,
    private readonly jobs: JobClient,
    private readonly journal: Journal,
    private readonly metrics: Metrics,
    @Inject(INGRESS) private readonly ingress: ServiceClient,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {
    super();
    this.sweepEvery({
      name: 'parsed-messages',
      everyMs: cleanEveryMs,
      batch: 1,
      sweep: async () => {
        await this.parsed.forgetOlderThan(parsedMessagesKeptMs);
        return 0;
      },
    });
  }

  onParsed(listener: ParsedListener): void {
    this.listeners.push(listener);
  }

  async process(job: InboundParsePayload, attempt: number): Promise<void> {
    const startMs = performance.now();
    const installed = await this.installed.get(job.app_id);
    requireReceiving(installed);
    const request = job.request ?? (await this.readRequest(job));
    const { adapter } = installed;
    const webhook = adapter && {
      installed,
      adapter,
      request,
      receivedAt: job.received_at,
      context: scopeOf(job),
      needsTokens: true,
    };
    const verified = job.verified_scheme ?? (await this.verify(job, webhook));
    if (verified === null) return;
    const checked = { attempt: 1, durationMs: null, reason: verified };
    const entries = job.verified_scheme ? [] : [entryOf(job, 'verified', 'ok', checked)];
    const messages = await this.messagesOf(installed, webhook, request).catch((error: unknown) => {
      // There is no hand-over that would carry these entries.
      for (const entry of entries) this.journal.append(entry);
      throw error;
    });
    const durationMs = performance.now() - startMs;
    const [first] = messages;
    const parsed = messages.filter(({ event_type: type }) => type !== 'challenge' && type !== 'ignored');
    const { left, into } = await this.replies.take(installed, job, parsed);
    const toRoute = adapter ? await this.choices.answered(job.app_id, job.receipt_id, adapter.manifest, left) : left;
    if (toRoute.length === 0) {
      for (const entry of entries) this.journal.append(entry);
      if (first?.event_type === 'challenge') {
        this.record(job, 'parsed', 'challenge', { attempt, durationMs, ...lateChallenge });
        return;
      }
      const reason = into ? 'continues_web_chat' : first ? ignoredReason(first) : 'empty_batch';
      const detail = into ? { detail: { event_id: into } } : {};
      this.record(job, 'parsed', 'ignored', { attempt, durationMs, reason, ...detail });
      return;
    }
    const detail = { event_type: toRoute[0]?.event_type, messages: toRoute.length };
    entries.push(entryOf(job, 'parsed', 'ok', { attempt, durationMs, detail }));
    this.metrics.hopSeconds.observe({ stage: 'parsed', outcome: 'ok' }, durationMs / 1000);
    await Promise.all(this.listeners.map((listener) => listener(installed, toRoute)));
    await this.statuses.heard(job.app_id, toRoute);
    const facts = requestFacts(request, installed, this.settings.FILTER_REQUEST_BYTES);
    await this.handOver(job, installed, verified, facts, toRoute, entries);
  }

  /** Records in the timeline that a receipt will be retried, and why. */
  retrying(job: InboundParsePayload, attempt: number, code: string, error: unknown): void {
    const detail = { error: error instanceof Error ? error.message : String(error) };
    this.record(job, 'parsed', 'retrying', { attempt, durationMs: null, reason: code, detail });
  }

  /** Dead-letters a receipt that cannot be parsed; it stays readable and can be replayed. */
  async deadLetter(job: InboundParsePayload, attempt: number, code: string, reason: string): Promise<void> {
    this.jobs.order.leave(job.app_id, job.receipt_id);
    await this.journal.appendNow(
      entryOf(job, 'parsed', 'dead', { attempt, durationMs: null, reason: code, detail: { error: reason } }),
    );
  }

  private async readRequest(job: InboundParsePayload): Promise<InboundRequest> {
    const { request } = await this.ingress.get<{ request: InboundRequest }>(
      `/internal/receipts/${job.receipt_id}`,
      scopeOf(job),
    );
    return request;
  }

  /** @returns the scheme, or null when the adapter refused the request, which ends the receipt */
  private async verify(job: InboundParsePayload, webhook: Webhook | null): Promise<string | null> {
    if (!webhook) throw new PermanentFailure('not_verified', 'the built-in app is verified by the ingress');
    const result = await this.calls.verify(webhook);
    if ('error' in result) {
      const { error: reason, words } = result;
      const detail = words === null ? {} : { detail: { error: words } };
      this.record(job, 'verified', 'refused', { attempt: 1, durationMs: null, reason, ...detail });
      return null;
    }
    return result.scheme;
  }

  /** The messages in a request, each marked with its origin where one of our Apps sent it. */
  private async messagesOf(
    { app }: InstalledApp,
    webhook: Webhook | null,
    request: InboundRequest,
  ): Promise<NormalizedMessage[]> {
    const depth = this.settings.MESSAGE_MAX_DEPTH;
    if (!webhook) {
      const messages = directParse(app, request);
      requireDepth(messages, app.kind, depth);
      return Promise.all(
        messages.map((message) => this.origins.mark(app, message, markersIn(request, message.metadata?.['payload']))),
      );
    }
    const { messages } = await this.calls.parse(webhook);
    requireDepth(messages, app.kind, depth);
    return Promise.all(
      messages.map((message) => this.origins.mark(app, message, validMarkers([message.metadata?.['origin_marker']]))),
    );
  }

  private async handOver(
    job: InboundParsePayload,
    installed: InstalledApp,
    verified: string,
    request: RequestFacts,
    messages: NormalizedMessage[],
    entries: JournalEntry[],
  ): Promise<void> {
    const inline = Buffer.byteLength(JSON.stringify(messages)) <= this.settings.INLINE_LIMIT_BYTES;
    if (!inline) await this.parsed.keep(job.receipt_id, job.organization_id, messages);
    const interim = installed.adapter && interimOf(installed.adapter.manifest);
    const payload: MessageRoutePayload = {
      receipt_id: job.receipt_id,
      key: routeKey(job.app_id, job.receipt_id, messages),
      received_at: job.received_at,
      organization_id: job.organization_id,
      project_id: job.project_id,
      app_id: job.app_id,
      app_kind: installed.app.kind,
      verified_scheme: verified,
      ...(installed.app.text_from === 'system' ? { text_from: installed.app.text_from } : {}),
      ...(canSend(installed) ? {} : { app_sends: false }),
      ...(installed.adapter && offersFeature(installed.adapter.manifest, 'typing') ? { app_types: true } : {}),
      ...(installed.adapter && offersFeature(installed.adapter.manifest, 'files') ? { app_sends_files: true } : {}),
      ...(interim === null ? {} : { app_interim: interim }),
      request,
      ...(inline ? { messages } : {}),
      ...(job.custody ? { custody: job.custody } : {}),
      entries: entries.map(uncommitted),
    };
    // If Redis does not take it, the ingress still has custody of the receipt and enqueues this hop again.
    await this.jobs.enqueue(messageRoute, payload);
  }

  /** Records an outcome that ends or delays a receipt; no later message waits for it any more. */
  private record(job: InboundParsePayload, stage: Stage, outcome: Outcome, facts: EntryFacts): void {
    this.jobs.order.leave(job.app_id, job.receipt_id);
    this.journal.append(entryOf(job, stage, outcome, facts));
    if (facts.durationMs !== null) this.metrics.hopSeconds.observe({ stage, outcome }, facts.durationMs / 1000);
  }
}

interface EntryFacts {
  attempt: number;
  durationMs: number | null;
  reason?: string | null;
  detail?: Record<string, unknown>;
}

function entryOf(job: InboundParsePayload, stage: Stage, outcome: Outcome, facts: EntryFacts): JournalEntry {
  const { durationMs, reason, detail } = facts;
  const attempt = (job.custody?.attempts ?? 0) + facts.attempt;
  const known = { attempt, duration_ms: durationMs, reason: reason ?? null, detail: detail ?? null };
  return { ...subject(job), stage, outcome, ...known, at: new Date() };
}

function uncommitted({ at, stage, outcome, reason, attempt, duration_ms, detail }: JournalEntry): UncommittedEntry {
  return {
    stage,
    outcome,
    reason: reason ?? null,
    attempt: attempt ?? 1,
    duration_ms: duration_ms ?? null,
    detail: detail ?? null,
    at: (at ?? new Date()).toISOString(),
  };
}

function subject(job: InboundParsePayload): {
  receipt_id: string;
  organization_id: string;
  project_id: string;
  app_id: string;
} {
  const { receipt_id, organization_id, project_id, app_id } = job;
  return { receipt_id, organization_id, project_id, app_id };
}

function ignoredReason(message: NormalizedMessage): string | null {
  return shortText(message.metadata?.['ignored_reason']);
}
