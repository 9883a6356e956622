import { probeHeader, type ProjectScope } from '#libs/contracts';
import { createEgress, type Egress, EgressError } from '#libs/egress';
import { ServiceTokens } from '#libs/service-kit';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type GatewaySettings, SETTINGS } from '../../env.js';

export interface WebhookRequest {
  method: 'GET' | 'POST';
  /** Path and query below PUBLIC_URL. */
  path: string;
  headers: Record<string, string>;
  body: string;
  /** It has no effect: the ingress checks and answers it, and its event ends as `verification`. */
  probe: boolean;
}

export interface WebhookAnswer {
  status: number;
  headers: Record<string, string>;
  /** The beginning. */
  body: string;
}

/** The answer, or why there is none. */
export interface WebhookExchange {
  answer: WebhookAnswer | null;
  error: { code: string; detail: string } | null;
  took_ms: number;
  /** The receiver's clock, by its answer, minus ours, in seconds; null where the answer does not say. */
  clock_skew_seconds: number | null;
}

const timeoutMs = 10_000;
const maxAnswerBytes = 65_536;
const shownChars = 16_384;
const userAgent = 'gatehouse-sample/1';

/**
 * Sends requests to webhooks of this installation at its own public address, as a provider does: over the network, and
 * through any proxy in front.
 */
@Injectable()
export class WebhookRequests implements OnApplicationShutdown {
  /** Where the requests go. */
  readonly origin: string;
  /** What providers call it, and what some of them sign. */
  readonly publicUrl: string;
  private readonly egress: Egress;

  constructor(
    private readonly tokens: ServiceTokens,
    @Inject(SETTINGS) settings: GatewaySettings,
  ) {
    this.publicUrl = settings.PUBLIC_URL.replace(/\/$/, '');
    this.origin = (settings.SAMPLE_URL ?? settings.PUBLIC_URL).replace(/\/$/, '');
    // The operator's own address may be private; it is the only one that is allowed.
    const { hostname, port, protocol } = new URL(this.origin);
    const named = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
    this.egress = createEgress({ allow: [named], userAgent });
  }

  async send(scope: ProjectScope, request: WebhookRequest): Promise<WebhookExchange> {
    const { method, path, headers, body, probe } = request;
    const mark: Record<string, string> = probe ? { [probeHeader]: await this.mark(scope) } : {};
    const beganMs = performance.now();
    const took = (): number => Math.round(performance.now() - beganMs);
    try {
      const answer = await this.egress.fetch(`${this.origin}${path}`, {
        method,
        headers: { ...headers, ...mark },
        ...(method === 'POST' ? { body } : {}),
        timeoutMs,
        maxResponseBytes: maxAnswerBytes,
        maxRedirects: 0,
      });
      return {
        answer: {
          status: answer.status,
          headers: Object.fromEntries(
            Object.entries(answer.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
          ),
          body: answer.body.toString('utf8').slice(0, shownChars),
        },
        error: null,
        took_ms: took(),
        clock_skew_seconds: skewOf([answer.headers['date']].flat()[0]),
      };
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      const { code, message: detail } = error;
      return { answer: null, error: { code, detail }, took_ms: took(), clock_skew_seconds: null };
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.egress.close();
  }

  /** A token without scopes: it is good for nothing else. */
  private mark({ organizationId, projectId }: ProjectScope): Promise<string> {
    const gateway = { subject: 'service:adapter-gateway', organizationId, projectId, scopes: [] };
    return this.tokens.mint('webhook-ingress', gateway);
  }
}

/** A `Date` header has whole seconds. */
function skewOf(date: string | undefined): number | null {
  const atMs = Date.parse(date ?? '');
  return Number.isNaN(atMs) ? null : Math.round((atMs + 500 - Date.now()) / 1_000);
}
