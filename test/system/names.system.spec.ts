import { openPlainAdapter, type PlainAdapter } from './plain-adapter.js';
import { startSmallSystem, type System } from './system.js';

/** An override, an isolate that is not closed, a zero-width space, a tag, a line end and space at the ends. */
const given = (name: string): string => ` \u202E${name}\u2066\u200B\u{E0041}\r\n of all\t`;
const saved = (name: string): string => `${name} of all`;

interface Named {
  id: string;
  name: string;
}

describe('a name is saved as people see it', () => {
  let system: System;
  let adapter: PlainAdapter;
  let adapterId: string;

  beforeAll(async () => {
    system = await startSmallSystem({});
    adapter = await openPlainAdapter('named');
    adapterId = (await system.api<Named>('POST', '/api/v1/adapters', { url: adapter.url })).id;
  });
  afterAll(async () => {
    await system?.stop();
    await adapter?.close();
  });

  it.each<[path: string, body: object]>([
    ['agents', { instructions: 'reply: ok' }],
    ['skills', { knowledge: 'k', description: 'd' }],
    ['workflows', { instructions: 'i' }],
    ['apps', { kind: 'builtin' }],
    ['credentials', { type: 'text', fields: { a: 'b' } }],
    ['api-keys', { scopes: ['events:read'] }],
    ['members', { email: 'named@example.com', role: 'viewer' }],
    ['projects', {}],
  ])('in %s, when it is created and when it changes', async (path, body) => {
    const made = await system.api<Named>('POST', `/api/v1/${path}`, { ...body, name: given('First') });
    expect(made.name.replace(/ \(\w+\)$/, '')).toBe(saved('First'));
    if (path === 'api-keys') return;
    const changed = await system.api<Named>('PATCH', `/api/v1/${path}/${made.id}`, { name: given('Second') });
    expect(changed.name.replace(/ \(\w+\)$/, '')).toBe(saved('Second'));
  });

  it('of an organization, an adapter, a listing that is installed and a document', async () => {
    const { id } = await system.api<Named>('GET', '/api/v1/organizations/current');
    const organization = await system.api<Named>('PATCH', `/api/v1/organizations/${id}`, { name: given('Firm') });
    const changed = await system.api<Named>('PATCH', `/api/v1/adapters/${adapterId}`, { name: given('Adapter') });
    const installed = await system.api<Named>('POST', '/api/v1/listings/named/install', { name: given('App') });
    const document = await system.api<{ title: string }>('POST', '/api/v1/knowledge', {
      title: given('Doc'),
      text: 't',
    });
    expect([organization.name, changed.name, installed.name.replace(/ \(\w+\)$/, ''), document.title]).toEqual(
      ['Firm', 'Adapter', 'App', 'Doc'].map(saved),
    );
  });
});
