import type { InboundRequest } from '#libs/contracts';
import { requestFacts } from './request-facts.js';

const installed = { app: { signature: null }, adapter: null };
const request: InboundRequest = {
  method: 'POST',
  url: 'https://gatehouse.example/api/v1/webhooks/tok_12345',
  path: '/api/v1/webhooks/tok_12345',
  query: {},
  headers: {},
  body: '{}',
  body_encoding: 'utf8',
};
const factsOf = (over: Partial<InboundRequest>, maxBytes = 8_192) =>
  requestFacts({ ...request, ...over }, installed, maxBytes);

describe('what filters read of a request', () => {
  it('is its headers by their lower-case name, and its query by the given and the lower-case one', () => {
    expect(
      factsOf({
        headers: { 'X-GitHub-Event': 'push', accept: ['a/b', 'c/d'], 'content-type': 'application/json' },
        query: { Kind: 'a', tag: ['x', 'y'] },
      }),
    ).toEqual({
      headers: { 'x-github-event': 'push', accept: 'a/b, c/d', 'content-type': 'application/json' },
      query: { Kind: 'a', kind: 'a', tag: 'x, y' },
    });
  });

  it.each([
    'authorization',
    'Proxy-Authorization',
    'cookie',
    'x-gitlab-token',
    'x-telegram-bot-api-secret-token',
    'x-api-key',
    'apikey',
    'x-functions-key',
    'x-hub-signature-256',
    'x-shopify-hmac-sha256',
    'stripe-signature',
    'webhook-signature',
    'content-digest',
    'x-amz-security-token',
    'x-session-id',
    'x-client-cert',
    'x-auth',
    'connection',
    'x-forwarded-for',
    'referer',
    '__proto__',
    'constructor',
  ])('has no header %s', (name) => {
    expect(factsOf({ headers: { [name]: 'value', 'x-kept': '1' } }).headers).toEqual({ 'x-kept': '1' });
  });

  it.each([
    'access_token',
    'token',
    'sig',
    'X-Amz-Signature',
    'api_key',
    'apiKey',
    'key',
    'code',
    'hub.verify_token',
    'auth',
    'pwd',
  ])('has no parameter %s', (name) => {
    expect(factsOf({ query: { [name]: 'value', author: 'ada' } }).query).toEqual({ author: 'ada' });
  });

  it.each([
    'Bearer abc',
    'basic YTpi',
    'eyJhbGciOiJIUzI1NiJ9.e30.abc',
    'sha256=00ff',
    '/api/v1/webhooks/tok_12345?x=1',
  ])('has no secret under any name: %s', (value) => {
    expect(factsOf({ headers: { 'x-any': value }, query: { any: value } })).toEqual({ headers: {}, query: {} });
  });

  it('has nothing of where the App says that its signature or token is', () => {
    const handshake = {
      method: 'GET',
      match: {},
      respond: 'adapter',
      verify_token: { query: 'seen', field: 'f' },
    } as const;
    const signed = {
      app: { signature: { scheme: 'hmac' as const, header: 'x-check', secret_fields: [] } },
      adapter: {
        manifest: { webhook: { verification: { scheme: 'hmac', header: 'X-Proof' }, handshake } },
      },
    };
    const given = { headers: { 'x-check': 'a', 'x-proof': 'b', 'x-kept': 'c' }, query: { seen: 'd', kept: 'e' } };
    expect(requestFacts({ ...request, ...given }, signed, 8_192)).toEqual({
      headers: { 'x-kept': 'c' },
      query: { kept: 'e' },
    });
  });

  it('is bounded: a long value pushes out no short one', () => {
    const headers = { 'a-long': 'x'.repeat(5_000), 'z-event': 'push', 'b-long': 'y'.repeat(6_000) };
    expect(Object.keys(factsOf({ headers }).headers)).toEqual(['z-event', 'a-long']);
    expect(factsOf({ headers }, 0)).toEqual({ headers: {}, query: {} });
  });
});
