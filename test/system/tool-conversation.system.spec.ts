import { writeFileSync } from 'node:fs';
import { createServer, type Server as PageServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { until } from '#libs/testing';
import { type FakeModel, fakeModel } from '../../apps/engine/src/testing/fake-model.js';
import { type ChildServer, startBrowser, startEverything } from '../../apps/mcp-registry/src/testing/child-server.js';
import { sidecarToken, SidecarsWorld } from '../../apps/mcp-registry/src/testing/sidecar-world.js';
import { findChromium } from '../console/chromium.js';
import type { InstalledApp } from './api.js';
import { openSink, type Sink } from './sink.js';
import { startSmallSystem, type System } from './system.js';
import { hmac, post } from './webhook.js';

const secret = 'the secret of a system whose words are its own';
const turns = 60;
/** A browser starts with the first call of its conversation, which takes long where the machine is busy. */
const patient = { MCP_CALL_TIMEOUT_MS: '120000', TOOL_TIMEOUT_MS: '60000' };

interface Server {
  id: string;
  skill_id: string;
  trust: string;
  recommended_trust: { trust: string; why: string };
}
interface Turn {
  id: string;
  state: string;
  content_trust: string;
  steps: { kind: string; content: { name?: string; result?: { content?: string; error?: { code: string } } } }[];
}

describe('a conversation with tools of four servers, one of them a browser', () => {
  let system: System;
  let sink: Sink;
  let model: FakeModel;
  let everything: ChildServer;
  let browser: ChildServer;
  let pages: PageServer;
  let pageUrl: string;
  const sidecars = new SidecarsWorld();
  let app: InstalledApp;
  const servers: Record<string, Server> = {};

  beforeAll(async () => {
    const chromium = findChromium();
    if (chromium === null) throw new Error('This test needs a Chromium.');
    pages = createServer(({ url, headers }, response) => {
      response.setHeader('content-type', 'text/html').setHeader('set-cookie', `last=${url?.slice(1)}`);
      response.end(`<title>Page ${url}</title><h1>Cookie: ${headers.cookie ?? 'none'}</h1>`);
    });
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    pageUrl = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
    [sink, model, everything, browser] = await Promise.all([
      openSink(),
      fakeModel(),
      startEverything('streamableHttp'),
      startBrowser(chromium),
    ]);
    const [{ origin }] = await Promise.all([
      sidecars.start(),
      startSmallSystem({ MODEL_BASE_URL: model.url, MODEL_NAME: 'fake', ...patient }).then(
        (started) => (system = started),
      ),
    ]);
    const credential_id = await system.credential({ token: sidecarToken });
    const register = async (name: string, url: string, auth?: object): Promise<void> => {
      const body = { url, name, ...(auth ? { auth } : {}) };
      servers[name] = await system.api<Server>('POST', '/api/v1/mcp-servers', body);
    };
    const bearer = { mode: 'bearer', credential_id };
    await register('everything', `${everything.origin}/mcp`);
    await register('browser', `${browser.origin}/mcp`);
    await register('files', `${origin}/files/mcp`, bearer);
    await register('memory', `${origin}/memory/mcp`, bearer);
    writeFileSync(join(sidecars.home, 'note.txt'), 'Tea is served at four.');
    const skills = Object.values(servers).map(({ skill_id }) => skill_id);
    const { id: agent_id } = await system.api<{ id: string }>('POST', '/api/v1/agents', {
      name: 'Desk',
      instructions: 'Help.',
      skills,
    });
    app = await system.api<InstalledApp>('POST', '/api/v1/apps', {
      name: 'signed',
      kind: 'builtin',
      credential_id: await system.credential({ signing_secret: secret }),
      signature: { scheme: 'hmac' },
      text_from: 'system',
    });
    await system.api('PUT', `/api/v1/channels/${app.id}`, { agent_id, reply_address: `${sink.url}/signed` });
  });
  afterAll(async () => {
    await system?.stop();
    await sidecars.stop();
    await Promise.all([sink.close(), model.close(), everything.stop(), browser.stop()]);
    pages.closeAllConnections();
    await new Promise((resolve) => pages.close(resolve));
    sidecars.clean();
  });

  const named = (name: string, args: object = {}) => ({ name, arguments: JSON.stringify(args) });
  const say = async (thread_id: string, text: string, ...script: Parameters<FakeModel['script']>): Promise<Turn> => {
    model.script(...script);
    const body = JSON.stringify({ task: text, thread_id });
    const { id } = await post(app.webhook_url, body, { 'x-signature-256': hmac(secret, body) });
    return until(`the turn of ${id} ended`, async () => {
      const { turns: found } = await system.api<{ turns: { id: string; state: string }[] }>(
        'GET',
        `/api/v1/events/${id}`,
      );
      const [turn] = found;
      if (turn === undefined || !['succeeded', 'failed', 'waiting_approval'].includes(turn.state)) return null;
      return system.api<Turn>('GET', `/api/v1/turns/${turn.id}`);
    });
  };
  const codes = ({ steps }: Turn): string[] =>
    steps
      .filter(({ kind }) => kind === 'tool_result')
      .map(({ content }) => `${content.name}: ${content.result?.error?.code ?? 'ok'}`);

  const go = (page: string) => named('browser__browser_navigate', { url: `${pageUrl}/${page}` });
  const snapshot = named('browser__browser_snapshot');
  const seen = ({ steps }: Turn): string =>
    steps.flatMap(({ kind, content }) => (kind === 'tool_result' ? (content.result?.content ?? []) : [])).join('\n');

  it('is recommended a trust by where each runs and what its tools claim', () => {
    const recommended = Object.entries(servers).map(([name, { trust, recommended_trust: to }]) => [
      name,
      trust,
      to.trust,
    ]);
    expect(recommended).toEqual([
      ['everything', 'untrusted', 'untrusted'],
      ['browser', 'untrusted', 'untrusted'],
      ['files', 'untrusted', 'own'],
      ['memory', 'untrusted', 'own'],
    ]);
    // One of its tools fetches any address.
    expect(servers['everything']?.recommended_trust.why).toContain('open world');
  });

  it('with untrusted results goes on reading, in one turn and in later ones, and does not write', async () => {
    const reads = [
      named('everything__get-sum', { a: 1, b: 2 }),
      named('files__list_directory', { path: sidecars.home }),
    ];
    const more = [named('files__read_text_file', { path: join(sidecars.home, 'note.txt') })];
    const write = [named('memory__create_entities', { entities: [] })];
    expect(codes(await say('careful', 'Read.', reads, more, write, 'Done.'))).toEqual([
      'everything__get-sum: ok',
      'files__list_directory: ok',
      'files__read_text_file: ok',
      'memory__create_entities: untrusted_content',
    ]);
    expect(
      codes(await say('careful', 'Again.', [named('everything__get-sum', { a: 2, b: 3 })], more, 'Done.')),
    ).toEqual(['everything__get-sum: ok', 'files__read_text_file: ok']);
  });

  it('makes every call of 60 turns by itself, where people trust the servers', async () => {
    const trusted = (name: string) => system.api('PATCH', `/api/v1/mcp-servers/${servers[name]?.id}`, { trust: 'own' });
    await Promise.all(Object.keys(servers).map(trusted));
    const listed = await system.api<{ data: { id: string; name: string }[] }>(
      'GET',
      `/api/v1/tools?server_id=${servers['everything']?.id}&limit=100`,
    );
    const fetches = listed.data.find(({ name }) => name === 'gzip-file-as-resource');
    await system.api('PATCH', `/api/v1/tools/${fetches?.id}`, { trust: 'untrusted' });
    const clicks = await system.api<{ data: { id: string; name: string }[] }>(
      'GET',
      `/api/v1/tools?server_id=${servers['browser']?.id}&limit=100`,
    );
    const navigates = clicks.data.find(({ name }) => name === 'browser_navigate');
    await system.api('PATCH', `/api/v1/tools/${navigates?.id}`, { grade: 'write' });
    const note = join(sidecars.home, 'note.txt');
    const work = (at: number) =>
      [
        [named('everything__get-sum', { a: at, b: 1 }), named('everything__echo', { message: `turn ${at}` })],
        [named('files__list_directory', { path: sidecars.home }), named('files__read_text_file', { path: note })],
        [
          named('memory__create_entities', {
            entities: [{ name: `turn ${at}`, entityType: 'turn', observations: ['was here'] }],
          }),
          named('memory__search_nodes', { query: `turn ${at}` }),
        ],
        [go(`turn-${at}`), snapshot],
      ][(at / 3) % 4] ?? [];
    const ends: string[] = [];
    const made: string[] = [];
    for (let at = 0; at < turns; at += 1) {
      const steps = at % 3 === 0 ? work(at).map((call) => [call]) : [];
      const turn = await say('long', `Message ${at}`, ...steps, `Answer ${at}`);
      ends.push(`${turn.state} ${turn.content_trust}`);
      made.push(...codes(turn));
    }
    expect(ends).toEqual(Array(turns).fill('succeeded own'));
    expect(made).toHaveLength((turns / 3) * 2);
    expect(made.filter((call) => !call.endsWith(': ok'))).toEqual([]);
    const approvals = await system.api<{ data: object[] }>('GET', '/api/v1/approvals');
    expect(approvals.data).toEqual([]);
  });

  it('keeps a browser to itself: what one contact has opened, the turn of another does not see', async () => {
    expect(seen(await say('ada', 'Open.', [go('ada')], [snapshot], 'Done.'))).toContain('Page /ada');
    const other = seen(await say('bob', 'Look.', [snapshot], [go('bob')], [snapshot], 'Done.'));
    expect(other).toContain('about:blank');
    expect(other).toContain('Page /bob');
    expect(other).not.toContain('ada');
    // A later turn of the first one finds its own page, and its own cookie.
    const later = seen(await say('ada', 'And now?', [snapshot], [go('ada-again')], [snapshot], 'Done.'));
    expect(later).toContain('Page /ada');
    expect(later).toContain('Cookie: last=ada');
    expect(later).not.toContain('bob');
  });
});
