import { type Credentials, isJsonObject, secretList } from '#libs/adapter-sdk';
import type { DeclaredHandshake, RequestPlace } from '#libs/contracts';
import { type Principal, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { createHmac, randomUUID } from 'node:crypto';
import type { SampleEndpoint } from '../samples/sample-endpoint.js';
import { signSample } from '../samples/sign-sample.js';
import { type WebhookAnswer, type WebhookRequest, WebhookRequests } from '../samples/webhook-requests.js';
import { notApplicable, skipped, type Verdict } from './check.js';
import { details, refusalOf } from './exchange-text.js';

/** Sends the handshake that an App's manifest declares to its public URL, as the provider will. */
@Injectable()
export class HandshakeCheck {
  constructor(private readonly requests: WebhookRequests) {}

  async run(caller: Principal, found: SampleEndpoint, secrets: Credentials): Promise<Verdict> {
    const { handshake, verification } = found.endpoint;
    if (handshake === null) return notApplicable('The App declares no handshake.');
    if (handshake.method === 'POST' && verification === 'adapter') {
      return skipped(
        'A posted handshake is answered only if its signature is accepted, and only the provider can sign.',
      );
    }
    const challenge = randomUUID().replaceAll('-', '');
    let request: WebhookRequest;
    try {
      request = handshakeRequest(found, handshake, challenge, secrets, this.requests.publicUrl);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.code === 'cannot_sign') return skipped(error.detail);
      return { status: 'failed', sentence: error.detail, what_to_do: 'Link a credential that has it.' };
    }
    const exchange = await this.requests.send(caller, request);
    const base = { took_ms: exchange.took_ms, details: details(request, exchange) };
    const status = handshake.respond === 'adapter' ? 200 : (handshake.respond.status ?? 200);
    if (exchange.answer?.status === status && answers(handshake, challenge, secrets, exchange.answer)) {
      return { ...base, status: 'ok', sentence: 'The handshake is answered as the manifest declares.' };
    }
    const what_to_do =
      'Link the credentials that the handshake needs. The provider sends nothing until it is answered.';
    return {
      ...base,
      status: 'failed',
      sentence: `The handshake is answered with ${refusalOf(exchange)}.`,
      what_to_do,
    };
  }
}

/** @throws Problem 422 `no_signing_secret`, `no_verify_token` */
function handshakeRequest(
  { path, endpoint }: SampleEndpoint,
  { method, match, respond, verify_token: token, unsigned }: DeclaredHandshake,
  challenge: string,
  secrets: Credentials,
  origin: string,
): WebhookRequest {
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  const json = bare();
  const put = (place: RequestPlace, value: string): void => {
    if (place.query !== undefined) query.set(place.query, value);
    else if (place.header !== undefined) headers[place.header] = value;
    else if (place.pointer !== undefined) setAt(json, place.pointer, value);
  };
  if (respond !== 'adapter') put(respond, challenge);
  // Every request has a host.
  if (match.header !== 'host') put(match, match.equals ?? challenge);
  if (token) {
    const [value] = secretList(secrets[token.field]);
    if (value === undefined) throw new Problem(422, 'no_verify_token', `The credential has no field ${token.field}.`);
    query.set(token.query, value);
  }
  const search = query.size > 0 ? `?${query.toString()}` : '';
  if (method === 'GET') return { method, path: `${path}${search}`, headers, body: '', probe: true };
  const given = { 'content-type': 'application/json', ...headers };
  const sample = { origin, path: `${path}${search}`, headers: given, body: JSON.stringify(json) };
  const signed = signSample(unsigned ? 'unsigned' : 'signed', sample, endpoint.verification, secrets);
  return { method, path: signed.path, headers: { ...given, ...signed.headers }, body: signed.body, probe: true };
}

function answers(
  { respond }: DeclaredHandshake,
  challenge: string,
  secrets: Credentials,
  { body, headers }: WebhookAnswer,
): boolean {
  if (respond === 'adapter') return body !== '' && !body.includes('"received":true');
  if (respond.fixed !== undefined) return body === respond.fixed;
  if (respond.as_header !== undefined) return headers[respond.as_header] === challenge;
  const { hmac } = respond;
  if (!hmac) return body.includes(challenge);
  const { algorithm = 'sha256', encoding = 'base64' } = hmac;
  return secretList(secrets[hmac.field]).some((secret) =>
    body.includes(createHmac(algorithm, secret).update(challenge).digest(encoding)),
  );
}

/** Without a prototype: a pointer in somebody's manifest may contain `__proto__`. */
function bare(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}

/** @param pointer RFC 6901 */
function setAt(into: Record<string, unknown>, pointer: string, value: string): void {
  const parts = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  let current = into;
  for (const part of parts.slice(0, -1)) {
    const known = current[part];
    const next = isJsonObject(known) ? known : bare();
    current[part] = next;
    current = next;
  }
  const last = parts.at(-1);
  if (last !== undefined) current[last] = value;
}
