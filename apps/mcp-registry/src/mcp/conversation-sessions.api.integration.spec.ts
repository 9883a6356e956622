import { until } from '#libs/testing';
import { FakeMcpServer } from '../testing/fake-mcp-server.js';
import { error } from '../testing/odd-answers.js';
import { type RegistryWorld, startRegistry } from '../testing/registry-world.js';
import type { RegistrySettings } from '../settings.js';

/** Keeps one page per session, as a browser does. `go <page>` opens it; anything else says which is open. */
function browser(server: FakeMcpServer): void {
  const pages = new Map<string, string>();
  server.script.call = (_name, { text }, session) => {
    const [word, page] = String(text).split(' ');
    if (word === 'go') pages.set(session, page ?? '');
    return { content: [{ type: 'text', text: pages.get(session) ?? 'about:blank' }] };
  };
}

describe('sessions of MCP servers', () => {
  const worlds: RegistryWorld[] = [];
  const servers: FakeMcpServer[] = [];
  let names = 0;

  const world = async (settings: Partial<RegistrySettings> = {}) => {
    const made = await startRegistry(settings);
    worlds.push(made);
    return made;
  };
  afterEach(async () => {
    for (const made of worlds.splice(0).reverse()) await made.close();
    for (const server of servers.splice(0)) await server.stop();
  });

  const setUp = async (settings: Partial<RegistrySettings> = {}, wish: object = {}, keepsSessions = true) => {
    const registry = await world(settings);
    const server = await FakeMcpServer.start();
    servers.push(server);
    server.script.keepsSessions = keepsSessions;
    browser(server);
    const body = { url: server.url, name: `b${(names += 1)}`, ...wish };
    const { id } = (await registry.call('POST', 'mcp-servers', body)).body;
    const [tool] = (await registry.call('GET', `tools?server_id=${id}`)).body.data;
    const say = async (conversation: string, text: string, from: RegistryWorld = registry) => {
      const call = { tool_id: tool?.id, pin: tool?.pin, arguments: { text }, call_id: `trn_${text}.a`, conversation };
      return (await from.internal('POST', 'tool-calls', call)).body;
    };
    const pageOf = async (conversation: string, from?: RegistryWorld) =>
      (await say(conversation, 'look', from)).content;
    return { registry, server, id, tool, say, pageOf };
  };

  it('are of one conversation: two contacts whose calls alternate see nothing of each other', async () => {
    const { say, pageOf, server, registry, tool } = await setUp();
    await say('ses_a', 'go a.example');
    expect(await pageOf('ses_b')).toBe('about:blank');
    await Promise.all([say('ses_b', 'go b.example'), say('ses_a', 'look'), say('ses_b', 'look')]);
    expect([await pageOf('ses_a'), await pageOf('ses_b')]).toEqual(['a.example', 'b.example']);
    // A person who tries it by hand, and a turn of no conversation, are conversations of their own.
    const tried = await registry.call('POST', `tools/${tool?.id}/try`, { arguments: { text: 'look' } });
    expect(tried.body).toMatchObject({ content: 'about:blank' });
    const turn = { tool_id: tool?.id, pin: tool?.pin, arguments: { text: 'look' }, call_id: 'trn_x.a' };
    expect((await registry.internal('POST', 'tool-calls', turn)).body.content).toBe('about:blank');
    // One each, and the listing's.
    expect(server.sessions.size).toBe(5);
  });

  it('are one even if two calls of a conversation begin it at once', async () => {
    const { say, server } = await setUp();
    const other = await world({ DATABASE_URL: worlds[0]?.databaseUrl ?? '' });
    await Promise.all([
      say('ses_a', 'go x'),
      say('ses_a', 'look'),
      say('ses_a', 'look', other),
      say('ses_a', 'look', other),
    ]);
    // The listing's, and one.
    await until('the other one is ended', () => server.sessions.size === 2);
    expect([(await say('ses_a', 'look')).content, (await say('ses_a', 'look', other)).content]).toEqual(['x', 'x']);
  });

  it('go on in another process, without a word, also when the first was killed', async () => {
    const { say, pageOf, server } = await setUp();
    await say('ses_a', 'go a.example');
    const other = await world({ DATABASE_URL: worlds[0]?.databaseUrl ?? '' });
    const made = server.count('initialize');
    expect(await say('ses_a', 'look', other)).toEqual(
      expect.not.objectContaining({ session_renewed: expect.anything() }),
    );
    expect(await pageOf('ses_a', other)).toBe('a.example');
    expect(await pageOf('ses_b', other)).toBe('about:blank');
    await say('ses_a', 'go later.example', other);
    expect(await pageOf('ses_a')).toBe('later.example');
    expect(server.count('initialize')).toBe(made + 1);
  });

  it('are said to be lost, to each conversation that had one, also in a later turn and another process', async () => {
    const { say, server } = await setUp();
    await say('ses_a', 'go a.example');
    await say('ses_b', 'go b.example');
    const other = await world({ DATABASE_URL: worlds[0]?.databaseUrl ?? '' });
    server.forgetSessions();
    expect(await say('ses_a', 'look', other)).toMatchObject({ content: 'about:blank', session_renewed: 'lost' });
    expect(await say('ses_a', 'look')).not.toHaveProperty('session_renewed');
    expect(await say('ses_b', 'look')).toMatchObject({ content: 'about:blank', session_renewed: 'lost' });
    expect(await say('ses_c', 'look')).not.toHaveProperty('session_renewed');
  });

  it('are said to be lost once a call has an answer, not to one that failed', async () => {
    const { say, server } = await setUp();
    await say('ses_a', 'go a.example');
    server.forgetSessions();
    const answer = server.script.call;
    server.script.call = () => undefined;
    expect(await say('ses_a', 'look')).toMatchObject({ ok: false });
    server.script.call = answer;
    expect(await say('ses_a', 'look')).toMatchObject({ session_renewed: 'lost' });
  });

  it('are renewed where a tool reports the loss, because its server forwards to one that has lost them', async () => {
    const { say, server } = await setUp();
    await say('ses_a', 'go a.example');
    const { call } = server.script;
    const [gone] = [...server.sessions].slice(-1);
    const isError = { isError: true, content: [{ type: 'text', text: 'Session terminated' }] };
    server.script.call = (name, args, session) => (session === gone ? isError : call(name, args, session));
    server.script.raw['tools/list'] = error({ code: -32_603, message: 'Session terminated' });
    expect(await say('ses_a', 'look')).toMatchObject({ content: 'about:blank', session_renewed: 'lost' });
    expect(await say('ses_a', 'look')).toMatchObject({ is_error: false });
  });

  it('go on where a tool misses a session of its own', async () => {
    const { say, pageOf, server } = await setUp();
    await say('ses_a', 'go a.example');
    const { call } = server.script;
    server.script.call = () => ({ isError: true, content: [{ type: 'text', text: 'Session not found: 7' }] });
    expect(await say('ses_a', 'look')).toMatchObject({ is_error: true, content: 'Session not found: 7' });
    server.script.call = call;
    expect(await pageOf('ses_a')).toBe('a.example');
  });

  it('are ended when they are idle, which the conversation hears', async () => {
    const { say, server } = await setUp({ MCP_IDLE_MS: 300 });
    await say('ses_a', 'go a.example');
    const [mine] = [...server.sessions].slice(-1);
    await until('it is ended at the server', () => server.ended.includes(mine ?? ''));
    expect(await say('ses_a', 'look')).toMatchObject({ content: 'about:blank', session_renewed: 'idle' });
    expect(await say('ses_a', 'look')).not.toHaveProperty('session_renewed');
  });

  it('are ended for a process that was killed', async () => {
    const { say, server } = await setUp();
    await say('ses_a', 'go a.example');
    const [mine] = [...server.sessions].slice(-1);
    await world({ DATABASE_URL: worlds[0]?.databaseUrl ?? '', MCP_IDLE_MS: 100, MCP_SESSION_SWEEP_MS: 50 });
    await until('it is ended at the server', () => server.ended.includes(mine ?? ''));
    expect(await say('ses_a', 'look')).toMatchObject({ session_renewed: 'idle' });
  });

  it('are at most so many at a server: the one that was not used for longest makes room', async () => {
    const { say, pageOf, server } = await setUp({ MCP_SERVER_SESSIONS: 2 });
    await say('ses_a', 'go a.example');
    await say('ses_b', 'go b.example');
    await say('ses_a', 'look');
    await say('ses_c', 'go c.example');
    expect(server.sessions.size).toBe(3);
    expect(await pageOf('ses_a')).toBe('a.example');
    expect(await say('ses_b', 'look')).toMatchObject({ content: 'about:blank', session_renewed: 'evicted' });
  });

  it.each([
    ['at a server', { MCP_SERVER_SESSIONS: 2 }, 'MCP_SERVER_SESSIONS'],
    ['in a process', { MCP_CONNECTIONS: 2 }, 'MCP_CONNECTIONS'],
  ])('never make room while a call is in flight %s', async (_where, settings, named) => {
    const { say, server } = await setUp(settings);
    const release = Promise.withResolvers<void>();
    let waiting = 0;
    const answer = server.script.call;
    server.script.call = async (name, args, session) => {
      waiting += 1;
      if (args['text'] === 'slow') await release.promise;
      return answer(name, args, session);
    };
    const slow = [say('ses_a', 'slow'), say('ses_b', 'slow')];
    await until('both run', () => waiting === 2);
    const refused = await say('ses_c', 'look');
    expect(refused).toMatchObject({ ok: false, error: 'busy', retryable: true });
    expect(JSON.stringify(refused)).toContain(named);
    release.resolve();
    for (const one of await Promise.all(slow)) expect(one).toMatchObject({ ok: true });
    expect(await say('ses_c', 'look')).toMatchObject({ ok: true });
  });

  it('outlive that their process has too many connections', async () => {
    const { say, pageOf } = await setUp({ MCP_CONNECTIONS: 1 });
    await say('ses_a', 'go a.example');
    await say('ses_b', 'go b.example');
    expect([await pageOf('ses_a'), await pageOf('ses_b')]).toEqual(['a.example', 'b.example']);
  });

  it('are one connection for all when the server keeps none, and are kept when it does after all', async () => {
    const { say, pageOf, server } = await setUp({}, {}, false);
    await say('ses_a', 'look');
    const made = server.count('initialize');
    for (const who of ['ses_b', 'ses_c']) await say(who, 'look');
    expect(server.count('initialize')).toBe(made);
    server.script.keepsSessions = true;
    const other = await world({ DATABASE_URL: worlds[0]?.databaseUrl ?? '' });
    await say('ses_a', 'go a.example', other);
    expect([await pageOf('ses_a', other), await pageOf('ses_b', other)]).toEqual(['a.example', 'about:blank']);
  });

  it('are shared by choice, which is in the audit log, and each conversation hears of a loss', async () => {
    const { say, pageOf, server, registry, id } = await setUp({}, { sessions: 'shared' });
    await say('ses_a', 'go a.example');
    expect(await pageOf('ses_b')).toBe('a.example');
    expect(server.sessions.size).toBe(1);
    server.forgetSessions();
    expect(await say('ses_a', 'look')).toMatchObject({ session_renewed: 'lost' });
    expect(await say('ses_b', 'look')).toMatchObject({ session_renewed: 'lost' });
    for (const who of ['ses_a', 'ses_b', 'ses_c']) expect(await say(who, 'look')).not.toHaveProperty('session_renewed');
    await say('ses_a', 'go secret.example');
    const changed = await registry.call('PATCH', `mcp-servers/${id}`, { sessions: 'conversation' });
    expect(changed.body).toMatchObject({ sessions: 'conversation' });
    expect(await pageOf('ses_b')).toBe('about:blank');
    const { data } = (await registry.internal('GET', 'audit')).body;
    expect(data.filter(({ subject }) => subject === id)).toMatchObject([
      { action: 'mcp_server.sessions_set', before: { sessions: 'shared' }, after: { sessions: 'conversation' } },
      { action: 'mcp_server.sessions_set', before: null, after: { sessions: 'shared' } },
    ]);
  });

  it('are listed in the one session when that is shared, by a process that resumes it too', async () => {
    const { say, server, id } = await setUp({}, { sessions: 'shared' });
    await say('ses_a', 'go a.example');
    const other = await world({ DATABASE_URL: worlds[0]?.databaseUrl ?? '' });
    const found = await other.call('POST', `mcp-servers/${id}/discover`, {});
    expect(found.body).toMatchObject({ health: 'reachable', tools: { approved: 1 }, server_info: { name: 'fake' } });
    expect(server.sessions.size).toBe(1);
  });

  it('end with a change of the credential, and with the server', async () => {
    const { say, server, registry, id } = await setUp();
    await say('ses_a', 'go a.example');
    const [first] = [...server.sessions].slice(-1);
    await registry.call('PATCH', `mcp-servers/${id}`, { auth: { mode: 'none' } });
    expect(server.ended).toContain(first);
    expect(await say('ses_a', 'look')).toMatchObject({ content: 'about:blank', session_renewed: 'changed' });
    await registry.call('DELETE', `mcp-servers/${id}`);
    expect(server.sessions.size).toBe(0);
  });
});
