import { startSmallSystem, type System } from '../system/system.js';
import { apiDocument, type ApiDocument, type DescribedOperation, operationsOf } from './api-document.js';
import { exampleBodies } from './hostile/example-bodies.js';
import { closeConnections, exchange } from './hostile/exchange.js';
import { jsonText } from './hostile/hostile-values.js';
import { plausibleBody, replaced } from './hostile/plausible-body.js';
import { openProviders, type Providers } from './hostile/providers.js';

const names = ['__proto__', 'constructor', 'prototype'];
const addresses = [
  'javascript:alert(1)',
  'JAVASCRIPT:alert(1)',
  ' java\tscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:msgbox(1)',
  'file:///etc/passwd',
];
/** Every field of the API whose value leads somewhere; the product has its own list. */
const leadsSomewhere = /(^|_)(url|uri|href|link|icon|logo|homepage|website|issuer|callback|address|return_to)s?$/i;
/** What is called or sent with is not kept. */
const isPayload = (place: string[]): boolean => place.some((name) => ['arguments', 'sample'].includes(name));

interface Refusal {
  code?: string;
  errors?: { field: string }[];
}

describe('names that every object has, and addresses that run code', () => {
  let system: System;
  let document: ApiDocument;
  let operations: DescribedOperation[];
  let providers: Providers;

  beforeAll(async () => {
    system = await startSmallSystem();
    document = await apiDocument(system.origin('portal'));
    providers = await openProviders(system.origin('adapters'));
    // A webhook's payload is what somebody else wrote: it is kept as it came. Handed on, it comes with a token of another
    // installation, and without one no body is read.
    operations = operationsOf(document).filter(
      ({ path, operationId, requestBody }) =>
        requestBody?.content?.['application/json'] &&
        !path.startsWith('/api/v1/webhooks/') &&
        operationId !== 'takeHandedOnReceipts',
    );
  });
  afterAll(async () => {
    closeConnections();
    await system?.stop();
    await providers?.close();
  });

  const bodyOf = (operation: DescribedOperation): { value: unknown; places: string[][] } => {
    const schema = operation.requestBody?.content?.['application/json']?.schema ?? {};
    const example = exampleBodies(providers)[operation.operationId ?? ''];
    const meant = plausibleBody(document, schema, new Map(), example);
    return meant.with(meant.optional);
  };
  /** @returns null when the body is refused by the name of the field */
  const wrong = async (operation: DescribedOperation, body: unknown, field: string): Promise<string | null> => {
    const { status, text } = await exchange(system.origin('portal'), {
      method: operation.method,
      path: operation.path.replaceAll(/\{\w+\}/g, '1'),
      headers: { authorization: `Bearer ${system.apiKey}`, 'content-type': 'application/json' },
      body: Buffer.from(jsonText(body)),
    });
    const { code, errors = [] }: Refusal = text.startsWith('{') ? (JSON.parse(text) as Refusal) : {};
    const isNamed = errors.some((error) => error.field.endsWith(field));
    return status === 422 && isNamed ? null : `${operation.operationId}: ${field}: ${status} ${code}`;
  };

  it('are refused by the name of the field, in every body of every operation', async () => {
    const wrongs: (string | null)[] = [];
    let tried = 0;
    for (const operation of operations) {
      const { value, places } = bodyOf(operation);
      for (const place of places.filter((each) => !isPayload(each))) {
        const inside = place.reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], value);
        const field = place.findLast((part) => !/^\d+$/.test(part)) ?? '';
        if (typeof inside === 'object' && inside !== null && !Array.isArray(inside)) {
          const name = names[(tried += 1) % names.length] ?? '';
          wrongs.push(await wrong(operation, replaced(value, [...place, name], { admin: true }), name));
        } else if (typeof inside === 'string' && leadsSomewhere.test(field)) {
          const address = addresses[(tried += 1) % addresses.length];
          const last = /^\d+$/.test(place.at(-1) ?? '') ? `${field}[${place.at(-1)}]` : field;
          wrongs.push(await wrong(operation, replaced(value, place, address), last));
        }
      }
    }
    expect(wrongs.filter((each) => each !== null)).toEqual([]);
    expect(tried).toBeGreaterThan(operations.length);
  });

  it.each([...addresses])('are refused as the address of a resource: %j', async (address) => {
    const at: [string, string, object, string][] = [
      ['POST', '/api/v1/mcp-servers', { url: address }, 'url'],
      ['POST', '/api/v1/knowledge/documents', { title: 'a', content: 'b', uri: address }, 'uri'],
      ['POST', '/api/v1/adapters', { base_url: address }, 'base_url'],
      ['POST', '/api/v1/webhooks', { url: address }, 'url'],
    ];
    const found = at.flatMap(([method, path, body, field]) => {
      const operation = operations.find((each) => each.method === method && each.path === path);
      return operation ? [{ operation, body, field }] : [];
    });
    const wrongs = await Promise.all(found.map(({ operation, body, field }) => wrong(operation, body, field)));
    expect(wrongs).toEqual(found.map(() => null));
    expect(found.length).toBeGreaterThan(1);
  });
});
