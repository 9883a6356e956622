import {
  columnsOf,
  type Endpoint,
  type InboundParsePayload,
  type InboundRequest,
  type MessageRoutePayload,
  type NormalizedMessage,
  routeKey,
} from '#libs/contracts';
import { directParse, markersIn, requestFacts } from '#libs/direct-app';
import { isShallow } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { type IngressSettings, SETTINGS } from '../../env.js';
import type { Receipt } from './receipt.repository.js';

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The job that parses a receipt. A body over the limit is left out and read by reference. */
export function parseJob(receipt: Receipt, inlineLimitBytes: number, at: PublicAddress): InboundParsePayload {
  return {
    receipt_id: receipt.id,
    received_at: receipt.receivedAt.toISOString(),
    ...columnsOf(receipt),
    app_id: receipt.appId,
    verified_scheme: receipt.verifiedScheme,
    ...(receipt.body.length <= inlineLimitBytes ? { request: inboundRequest(receipt, at) } : {}),
  };
}

/**
 * The request in the form of the adapter contract: the exact body, as text where it is valid UTF-8, and the URL and
 * host that the provider was given, whatever a proxy changed on the way.
 */
export function inboundRequest(receipt: Receipt, at: PublicAddress): InboundRequest {
  const { url, host, target } = addressOf(receipt, at);
  const question = target.indexOf('?');
  const search = new URLSearchParams(question < 0 ? '' : target.slice(question));
  return {
    method: receipt.method,
    url,
    path: question < 0 ? target : target.slice(0, question),
    query: Object.fromEntries([...new Set(search.keys())].map((name) => [name, oneOrAll(search.getAll(name))])),
    headers: { ...receipt.headers, host },
    ...encodeBody(receipt.body),
  };
}

/** Where the sender sent it: to this installation, or to the one that received it before its project moved here. */
function addressOf({ url }: Receipt, at: PublicAddress): { url: string; host: string; target: string } {
  if (!isWhole(url)) return { url: at.url + url, host: at.host, target: at.prefix + url };
  return { url, host: new URL(url).host, target: url.slice(url.indexOf('/', url.indexOf('//') + 2)) };
}

/** What is received here has a path for a URL: nothing that a sender sends makes it whole. */
const isWhole = (url: string): boolean => !url.startsWith('/') && url !== '';

function oneOrAll(values: string[]): string | string[] {
  const [first] = values;
  return values.length === 1 && first !== undefined ? first : values;
}

function encodeBody(body: Buffer): Pick<InboundRequest, 'body' | 'body_encoding'> {
  try {
    return { body: strictUtf8.decode(body), body_encoding: 'utf8' };
  } catch {
    return { body: body.toString('base64'), body_encoding: 'base64' };
  }
}

/** The address at which providers reach the installation, which their signatures may cover. */
@Injectable()
export class PublicAddress {
  /** PUBLIC_URL without a trailing slash. */
  readonly url: string;
  /** Its host name, with the port unless that is the scheme's default. */
  readonly host: string;
  /** Its path, which a proxy strips; empty when there is none. */
  readonly prefix: string;

  constructor(@Inject(SETTINGS) { PUBLIC_URL: url }: Pick<IngressSettings, 'PUBLIC_URL'>) {
    const { host, pathname } = new URL(url);
    this.url = url;
    this.host = host;
    this.prefix = pathname === '/' ? '' : pathname;
  }

  /** The URL of a receipt for another installation, whose own address its sender's signature does not cover. */
  whole(url: string): string {
    return isWhole(url) ? url : this.url + url;
  }
}

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
      ...columnsOf(receipt),
      app_id: receipt.appId,
      app_kind: 'builtin',
      verified_scheme: receipt.verifiedScheme,
      ...(direct.text_from === undefined ? {} : { text_from: direct.text_from }),
      ...(direct.sends ? {} : { app_sends: false }),
      request: requestFacts(request, { app: direct, adapter: null }, this.settings.FILTER_REQUEST_BYTES),
      messages,
      entries: [
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
