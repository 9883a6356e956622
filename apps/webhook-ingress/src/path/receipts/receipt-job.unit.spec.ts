import { createHmac } from 'node:crypto';
import { parseJob, PublicAddress } from './receipt-job.js';
import type { Receipt } from './receipt.repository.js';

const at = (url: string): PublicAddress => new PublicAddress({ PUBLIC_URL: url });
const receipt = (change: Partial<Receipt>): Receipt => ({
  id: 'evt_1',
  receivedAt: new Date(),
  organizationId: 'org_1',
  projectId: 'prj_1',
  appId: 'app_1',
  outcome: 'accepted',
  reason: null,
  method: 'POST',
  url: '/api/v1/webhooks/token?x=1',
  headers: { host: 'webhook-ingress:8080', 'x-kept': 'as it came' },
  body: Buffer.from('From=%2B49&Body=Hello'),
  verifiedScheme: null,
  remoteAddress: '10.0.0.1',
  ...change,
});
const sign = (url: string, body: string): string =>
  createHmac('sha1', 'auth-token').update(`${url}${body}`).digest('base64');

describe('the request of a parse job', () => {
  it('has the URL that its sender signed, whatever host the last proxy used', () => {
    const body = 'From=%2B49&Body=Hello';
    const signed = sign('https://gatehouse.example:8443/api/v1/webhooks/token?x=1', body);
    const { request } = parseJob(receipt({}), 16_384, at('https://gatehouse.example:8443'));
    expect(sign(request!.url, request!.body)).toBe(signed);
    expect(request).toMatchObject({
      path: '/api/v1/webhooks/token',
      query: { x: '1' },
      headers: { host: 'gatehouse.example:8443', 'x-kept': 'as it came' },
    });
  });

  it('is complete below a path prefix, with every value of a parameter', () => {
    const url = '/api/v1/webhooks/token?a=1&a=2&b=%20';
    const { request } = parseJob(receipt({ url }), 16_384, at('https://gatehouse.example/hooks'));
    expect(request).toMatchObject({
      url: `https://gatehouse.example/hooks${url}`,
      path: '/hooks/api/v1/webhooks/token',
      query: { a: ['1', '2'], b: ' ' },
    });
  });

  it('has the URL and the host of the installation that received it, where that was another one', () => {
    const url = 'https://cell-1.example:8443/hooks/api/v1/webhooks/token?a=1';
    const { request } = parseJob(receipt({ url }), 16_384, at('https://gatehouse.example'));
    expect(request).toMatchObject({
      url,
      path: '/hooks/api/v1/webhooks/token',
      query: { a: '1' },
      headers: { host: 'cell-1.example:8443' },
    });
    expect(at('https://gatehouse.example').whole(url)).toBe(url);
    expect(at('https://gatehouse.example/in').whole('/t')).toBe('https://gatehouse.example/in/t');
  });

  it('leaves the receipt unchanged, and omits a large body', () => {
    const stored = receipt({});
    expect(parseJob(stored, 4, at('https://gatehouse.example'))).not.toHaveProperty('request');
    parseJob(stored, 16_384, at('https://gatehouse.example'));
    expect([stored.url, stored.headers['host']]).toEqual(['/api/v1/webhooks/token?x=1', 'webhook-ingress:8080']);
  });
});
