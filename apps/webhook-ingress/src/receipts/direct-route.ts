import {
  type Endpoint,
  type InboundRequest,
  type MessageRoutePayload,
  type NormalizedMessage,
  routeKey,
} from '#libs/contracts';
import { directParse, markersIn, requestFacts } from '#libs/direct-app';
import { isShallow } from '#libs/service-kit';
import type { IngressSettings } from '../env.js';
import type { Receipt } from './receipt.js';

export type DirectSettings = Pick<
  IngressSettings,
  'INLINE_LIMIT_BYTES' | 'MESSAGE_MAX_DEPTH' | 'FILTER_REQUEST_BYTES' | 'DIRECT_PARSES_PER_SECOND'
>;

/** Event types that end a receipt before it is routed. */
const notRouted = new Set(['challenge', 'ignored']);

/**
 * Parses requests of the built-in Webhook App where that needs nothing but the request, which spares them the gateway's
 * job. Everything else is left to the gateway: what is long, what cannot be parsed, what an App of ours has sent. So is
 * what comes at a high rate: it travels in batches, and this process has senders to answer.
 */
export class DirectRoutes {
  private second = 0;
  private taken = 0;

  constructor(private readonly settings: DirectSettings) {}

  /**
   * @param request as the job of the receipt would have it
   * @returns null where the gateway has to parse it
   */
  routeOf(receipt: Receipt, endpoint: Endpoint, request: InboundRequest | undefined): MessageRoutePayload | null {
    const { direct } = endpoint;
    if (!direct || !request || receipt.verifiedScheme === null || !this.take()) return null;
    const startMs = performance.now();
    const messages = this.messagesOf({ ...direct, origin_marker: '' }, request);
    if (messages === null) return null;
    const took = performance.now() - startMs;
    const detail = { event_type: messages[0]?.event_type, messages: messages.length };
    return {
      receipt_id: receipt.id,
      key: routeKey(receipt.appId, receipt.id, messages),
      received_at: receipt.receivedAt.toISOString(),
      organization_id: receipt.organizationId,
      project_id: receipt.projectId,
      app_id: receipt.appId,
      app_kind: 'builtin',
      verified_scheme: receipt.verifiedScheme,
      ...(direct.text_from === undefined ? {} : { text_from: direct.text_from }),
      ...(direct.sends ? {} : { app_sends: false }),
      request: requestFacts(request, { app: direct, adapter: null }, this.settings.FILTER_REQUEST_BYTES),
      messages,
      told: [
        {
          at: new Date().toISOString(),
          stage: 'parsed',
          outcome: 'ok',
          reason: null,
          attempt: 1,
          duration_ms: took,
          detail,
        },
      ],
    };
  }

  private messagesOf(app: Parameters<typeof directParse>[0], request: InboundRequest): NormalizedMessage[] | null {
    let messages: NormalizedMessage[];
    try {
      messages = directParse(app, request);
    } catch {
      // The gateway finds the same, and records it.
      return null;
    }
    const { INLINE_LIMIT_BYTES: most, MESSAGE_MAX_DEPTH: depth } = this.settings;
    const isSimple = messages.every(
      ({ event_type: type, metadata }) =>
        !notRouted.has(type) &&
        isShallow(metadata, depth + 1) &&
        markersIn(request, metadata?.['payload']).length === 0,
    );
    return isSimple && messages.length > 0 && Buffer.byteLength(JSON.stringify(messages)) <= most ? messages : null;
  }

  private take(): boolean {
    const second = Math.floor(performance.now() / 1_000);
    if (second !== this.second) [this.second, this.taken] = [second, 0];
    this.taken += 1;
    return this.taken <= this.settings.DIRECT_PARSES_PER_SECOND;
  }
}
