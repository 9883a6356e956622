import { randomUUID } from 'node:crypto';
import type { Credentials } from '#libs/adapter-sdk';
import { type Principal, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import type { InboundRequest } from '#libs/contracts';
import { InboundCalls } from '../../path/inbound/inbound-calls.js';
import type { SampleEndpoint } from '../samples/sample-endpoint.js';
import { becameOf } from '../samples/sample.service.js';
import { type SampleKind, signSample } from '../samples/sign-sample.js';
import { type WebhookExchange, WebhookRequests } from '../samples/webhook-requests.js';
import { type CheckId, notApplicable, skipped, type Verdict } from './check.js';
import { codeOf, details, refusalOf } from './exchange-text.js';

/** A request as it was sent, and what came back. */
interface Sent {
  exchange: WebhookExchange;
  details: string;
}

interface Known {
  /** The secrets that sign requests. */
  secrets: Credentials;
  /** Whether the App's adapter answers. */
  answers: Promise<boolean>;
}

export type EndpointVerdicts = Record<
  Exclude<CheckId, 'adapter_ready' | 'credentials_accepted' | 'delivery_prepared' | 'handshake_answered'>,
  Verdict
>;

const seconds = 1_000;
const skewAllowedSeconds = 30;
const adapterChecks = 'The adapter checks signatures itself, and only its provider can sign: send a real event.';

/** Sends good and bad requests to an App's own public URL, and reports how they were answered. They have no effect. */
@Injectable()
export class EndpointChecks {
  constructor(
    private readonly requests: WebhookRequests,
    private readonly calls: InboundCalls,
  ) {}

  async run(caller: Principal, found: SampleEndpoint, known: Known): Promise<EndpointVerdicts> {
    const plain = await this.send(caller, found, 'unsigned', {});
    const reachable = this.reachable(found, plain);
    const clock_skew = clockSkew(plain.exchange);
    if (reachable.status !== 'ok') {
      const unknown = skipped('The webhook URL did not answer, so this could not be checked.');
      const rest = {
        sample_accepted: unknown,
        unsigned_refused: unknown,
        tampered_refused: unknown,
        stale_refused: unknown,
      };
      return { endpoint_reachable: reachable, ...rest, clock_skew };
    }
    return { endpoint_reachable: reachable, clock_skew, ...(await this.signatures(caller, found, plain, known)) };
  }

  private async signatures(
    caller: Principal,
    found: SampleEndpoint,
    plain: Sent,
    { secrets, answers }: Known,
  ): Promise<Pick<EndpointVerdicts, 'sample_accepted' | 'unsigned_refused' | 'tampered_refused' | 'stale_refused'>> {
    const { verification } = found.endpoint;
    if (verification === 'none') {
      const open = notApplicable('Signatures are not checked: anybody who knows the URL can send.');
      return {
        sample_accepted: accepted(plain, 'A request without a signature'),
        unsigned_refused: open,
        tampered_refused: open,
        stale_refused: open,
      };
    }
    if (verification === 'adapter') {
      const unknown = skipped(adapterChecks);
      const unsigned_refused = (await answers)
        ? await this.refusedByAdapter(caller, found)
        : skipped('The adapter does not answer.');
      return { sample_accepted: unknown, unsigned_refused, tampered_refused: unknown, stale_refused: unknown };
    }
    const [signed, tampered, stale] = await Promise.all(
      (['signed', 'tampered', 'stale'] as const).map((kind) => this.trySending(caller, found, kind, secrets)),
    );
    const scheme = verification.scheme === 'hmac' ? `hmac-${verification.algorithm ?? 'sha256'}` : verification.scheme;
    return {
      sample_accepted: isVerdict(signed) ? signed : accepted(signed!, `A request signed with ${scheme}`),
      unsigned_refused: refused(plain, 'A request without a signature'),
      tampered_refused: isVerdict(tampered) ? tampered : refused(tampered!, 'A request changed after it was signed'),
      stale_refused: isVerdict(stale) ? stale : refused(stale!, 'A request that was signed too long ago'),
    };
  }

  private async trySending(
    caller: Principal,
    found: SampleEndpoint,
    kind: SampleKind,
    secrets: Credentials,
  ): Promise<Sent | Verdict> {
    try {
      return await this.send(caller, found, kind, secrets);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (['no_time_is_signed', 'no_body_is_signed'].includes(error.code)) return notApplicable(error.detail);
      if (error.code === 'cannot_sign') return skipped(error.detail);
      const what_to_do = 'Link a credential that has the signing secret, or turn signature verification off.';
      return { status: 'failed', sentence: error.detail, what_to_do };
    }
  }

  private async send(caller: Principal, found: SampleEndpoint, kind: SampleKind, secrets: Credentials): Promise<Sent> {
    const text = JSON.stringify({ task: 'Verify', metadata: { source: 'gatehouse', nonce: randomUUID() } });
    const json = { 'content-type': 'application/json' };
    const sample = { origin: this.requests.publicUrl, path: found.path, headers: json, body: text };
    const signed = signSample(kind, sample, found.endpoint.verification, secrets);
    const headers = { ...json, ...signed.headers };
    const request = { method: 'POST' as const, path: signed.path, headers, body: signed.body, probe: true };
    const exchange = await this.requests.send(caller, request);
    return { exchange, details: details(request, exchange) };
  }

  private reachable({ installed: { app } }: SampleEndpoint, sent: Sent): Verdict {
    const { exchange } = sent;
    const { answer, error, took_ms } = exchange;
    const base = { took_ms, details: sent.details };
    if (!answer) {
      const what_to_do = `Make ${this.requests.origin} reachable from the adapter-gateway. Or set its SAMPLE_URL to an address that it can reach, and PUBLIC_URL to the one that providers use.`;
      return {
        ...base,
        status: 'failed',
        sentence: `${this.requests.origin} does not answer: ${error?.detail}.`,
        what_to_do,
      };
    }
    const code = codeOf(answer.body);
    const known = becameOf(exchange).event_id !== null || answer.status === 401 || isUnprotected(code);
    if (known) {
      return { ...base, status: 'ok', sentence: `${this.requests.origin} answers in ${took_ms} ms.` };
    }
    const what_to_do =
      app.state === 'disabled'
        ? 'The App is disabled: set its state to active.'
        : `Check what answers at ${this.requests.origin}: a proxy there must forward /api/v1/webhooks/ unchanged.`;
    return { ...base, status: 'failed', sentence: `The webhook URL answered ${refusalOf(exchange)}.`, what_to_do };
  }

  /** The ingress accepts what it cannot check, so the adapter itself is asked whether it refuses. */
  private async refusedByAdapter(caller: Principal, found: SampleEndpoint): Promise<Verdict> {
    const { installed, path } = found;
    const { adapter } = installed;
    if (!adapter) return skipped(adapterChecks);
    const beganMs = performance.now();
    const request = unsignedRequest(path);
    const webhook = {
      installed,
      adapter,
      request,
      receivedAt: new Date().toISOString(),
      context: caller,
      needsTokens: false,
    };
    try {
      const answer = await this.calls.verify(webhook);
      const took_ms = Math.round(performance.now() - beganMs);
      if ('error' in answer) {
        const why = answer.words === null ? answer.error : `${answer.error} (${answer.words})`;
        return { status: 'ok', took_ms, sentence: `The adapter refused it: ${why}.` };
      }
      return {
        status: 'failed',
        took_ms,
        sentence: `The adapter accepts a request without a signature (${answer.scheme}): anybody who knows the URL can send.`,
        what_to_do:
          'Link the signing secret that the adapter declares. If one is linked already, report it to the author of the adapter.',
        details: `POST /verify-webhook\n\n→\n\n${JSON.stringify(answer)}`,
      };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      return skipped(`The adapter did not answer it: ${text.slice(0, 300)}`);
    }
  }
}

/** Whether the ingress has no secret to check with. */
const isUnprotected = (code: string | null | undefined): boolean => code === 'not_configured' || code === 'weak_secret';

function isVerdict(value: Sent | Verdict | undefined): value is Verdict {
  return value !== undefined && 'status' in value;
}

function accepted({ exchange, details: shown }: Sent, what: string): Verdict {
  const { event_id: id } = becameOf(exchange);
  const base = { took_ms: exchange.took_ms, details: shown };
  if (id !== null) return { ...base, status: 'ok', sentence: `${what} is accepted as the event ${id}.` };
  const what_to_do = isUnprotected(codeOf(exchange.answer?.body))
    ? 'Signature verification is on, but there is no signing secret that protects: link a credential that has one.'
    : 'Compare the signature settings with the credential. A change takes some seconds to take effect everywhere.';
  return { ...base, status: 'failed', sentence: `${what} is answered with ${refusalOf(exchange)}.`, what_to_do };
}

function refused({ exchange, details: shown }: Sent, what: string): Verdict {
  const base = { took_ms: exchange.took_ms, details: shown };
  if (exchange.answer?.status === 401) {
    return { ...base, status: 'ok', sentence: `${what} is refused: ${refusalOf(exchange)}.` };
  }
  const what_to_do = 'Link the signing secret and set how requests are signed. Then verify again after some seconds.';
  return { ...base, status: 'failed', sentence: `${what} is answered with ${refusalOf(exchange)}.`, what_to_do };
}

function clockSkew({ clock_skew_seconds: skew, took_ms: tookMs }: WebhookExchange): Verdict {
  if (skew === null) return skipped('No answer had a Date header.');
  // The time that the answer took is no skew.
  if (Math.abs(skew) <= skewAllowedSeconds + tookMs / seconds) {
    return {
      status: 'ok',
      sentence: `The clock of the server that receives webhooks is at most ${Math.abs(skew)} s off the clock of this service.`,
    };
  }
  return {
    status: 'failed',
    sentence: `The clock of what receives webhooks is ${Math.abs(skew)} s ${skew > 0 ? 'ahead of' : 'behind'} this service's: signatures with a time are refused when it is off.`,
    what_to_do: 'Synchronise the clocks of all machines (NTP).',
  };
}

/** An unsigned webhook as an adapter gets it, without the token of the App's own URL. */
function unsignedRequest(path: string): InboundRequest {
  const masked = path.replace(/[^/]+$/, '***');
  return {
    method: 'POST',
    url: `https://gatehouse.invalid${masked}`,
    path: masked,
    query: {},
    headers: { 'content-type': 'application/json', host: 'gatehouse.invalid' },
    body: '{"type":"verify"}',
    body_encoding: 'utf8',
  };
}
