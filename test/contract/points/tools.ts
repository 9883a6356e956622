import { until } from '#libs/testing';
import { FakeMcpServer, tool } from '../../../apps/mcp-registry/src/testing/fake-mcp-server.js';
import type { Schema } from '../../../apps/console/src/api/named-schema.js';
import type { ContractAdapter } from '../contract-process.js';
import type { ContractWorld } from '../contract-world.js';

/** The tools of an agent that a message reaches. @param shared the running system */
export function holdTools(shared: () => ContractWorld): void {
  describe('the tools of an agent', () => {
    let world: ContractWorld;
    let adapter: ContractAdapter;
    let made = 0;

    beforeAll(() => {
      world = shared();
    });
    beforeEach(async () => {
      adapter = await world.adapters.mount('tools', { credentials: [] });
      await adapter.answer('orders', { json: { taken: true } });
    });

    const create = <T extends { id: unknown } = { id: string }>(path: string, body: object): Promise<T> =>
      world.api<T>('POST', `/api/v1/${path}`, body);
    const workflowOf = async (agent_id: string): Promise<number> =>
      (await create<Schema<'WorkflowView'>>('workflows', { name: `workflow ${(made += 1)}`, agent_id })).id;
    const agentOf = (lines: string[], more: object) =>
      create<Schema<'AgentDetail'>>('agents', {
        name: `agent ${(made += 1)}`,
        instructions: lines.join('\n'),
        ...more,
      });
    const call = (name: string, args: object) => `call ${name} ${JSON.stringify(args)}`;
    const request = (method: string, more: object = {}) =>
      call('http_request', { method, url: `${adapter.url}/orders`, ...more });
    const ended = (id: string): Promise<Schema<'RunDetailView'>> =>
      until(`the run ${id} ended`, async () => {
        const { body } = await world.ask<Schema<'RunDetailView'>>('GET', `runs/${id}`);
        return ['succeeded', 'failed'].includes(body.state) ? body : null;
      });
    const runOf = async (agent: { id: string }): Promise<Schema<'RunDetailView'>> =>
      ended((await create(`workflows/${await workflowOf(agent.id)}/runs`, { message: 'go' })).id);

    it('send an api_key, an oauth2 and a text record alike, to the host that their Skill binds them to', async () => {
      const record = async (type: string, fields: object, more: object = {}): Promise<string> =>
        (await create('credentials', { name: `${type} of tools`, type, fields, ...more })).id;
      const oauth = { client_id: 'id', client_secret: 'a-client-secret', access_token: 'by-oauth2' };
      const records = {
        api_key: await record('api_key', { token: 'by-api_key' }),
        oauth2: await record('oauth2', oauth, { grant: 'authorization_code' }),
        text: await record('text', { token: 'by-text' }),
      };
      const hosts = [new URL(adapter.url).host];
      const skill = await create('skills', {
        name: 'Orders',
        tools: [{ tool: 'builtin:http_request' }],
        credentials: Object.entries(records).map(([as, credential_id]) => ({ credential_id, as, hosts })),
      });
      const names = Object.keys(records);
      const reply = async (line: string): Promise<string> =>
        (await runOf(await agentOf([line, 'reply: {{result}}'], { skills: [skill.id] }))).reply_text ?? '';
      for (const credential of names) await reply(request('POST', { body: { credential }, credential }));
      expect((await adapter.calls('orders')).map(({ headers, body }) => [headers['authorization'], body])).toEqual(
        names.map((credential) => [`Bearer by-${credential}`, { credential }]),
      );
      const astray = call('http_request', { method: 'GET', url: 'http://127.0.0.2:9/', credential: 'text' });
      expect(await reply(astray)).toContain('credential_not_for_host');
    });

    it('may read one address until it has changed, and are ended when they only go round', async () => {
      await adapter.answer('orders', [{ json: { state: 'cooking' } }, { json: { state: 'ready' } }]);
      const polling = await agentOf([request('GET'), request('GET'), 'reply: {{result.body}}'], {
        tools: ['http_request'],
        allowed_hosts: [new URL(adapter.url).host],
      });
      expect(await runOf(polling)).toMatchObject({ state: 'succeeded', reply_text: expect.stringContaining('ready') });
      await adapter.forget();
      const round = Array.from({ length: 30 }, () => request('GET'));
      await runOf(
        await agentOf([...round, 'reply: done'], {
          tools: ['http_request'],
          allowed_hosts: [new URL(adapter.url).host],
          caps: { steps: 40 },
        }),
      );
      expect((await adapter.calls('orders')).length).toBeLessThan(10);
    });

    it('change nothing in a replay without delivery, which says so', async () => {
      const app = await world.install(adapter);
      const lines = [request('POST', { body: { item: 'tea' } }), 'reply: ordered'];
      const agent = await agentOf(lines, { tools: ['http_request'] });
      const run = await runOf(agent);
      await create('triggers', { app_id: app.id, workflow_id: run.workflow_id, event_types: ['order'] });
      const { id } = await world.outcomeOf(app, { type: 'order', from: 'jane', text: 'tea' });
      await until('every reply has arrived', async () => {
        const { data } = (await world.ask<Schema<'DeliveryPage'>>('GET', `deliveries?event_id=${id}`)).body;
        // That of the workflow, and that of the Chief of Staff.
        return data.length === 2 && data.every(({ state }: { state: string }) => state === 'delivered');
      });
      const before = (await adapter.calls()).map(({ route }) => route);
      expect(before).toEqual(expect.arrayContaining(['orders', 'deliver']));
      const replay = await create(`runs/${run.id}/replay`, { deliver: false });
      expect(await ended(replay.id)).toMatchObject({ state: 'succeeded', rehearsal: true, reply_text: 'ordered' });
      await create(`events/${id}/replay`, { deliver: false });
      await until('the replay has ended', async () => {
        const { runs } = (await world.ask<Schema<'EventDetailView'>>('GET', `events/${id}`)).body;
        const replays = runs.filter((one: { replay: boolean }) => one.replay);
        return replays.length > 0 && replays.every(({ state }: { state: string }) => state === 'succeeded');
      });
      expect((await adapter.calls()).map(({ route }) => route)).toEqual(before);
      const { timeline } = (await world.ask<Schema<'EventDetailView'>>('GET', `events/${run.receipt_id}`)).body;
      expect(timeline.map(({ reason }) => reason)).toContain('tool_rehearsed');
    });

    it('have names of their own, and none is left out in silence', async () => {
      const server = await FakeMcpServer.start();
      try {
        const called: string[] = [];
        const names = ['send.mail', 'send_mail', 'send mail', '寄信', ...[1, 2, 3, 4].map((n) => `more_${n}`)];
        server.script.list = () => ({ tools: names.map((name) => tool(name)) });
        server.script.call = (name) => {
          called.push(name);
          return { content: [{ type: 'text', text: name }] };
        };
        const { id } = await create('mcp-servers', { url: server.url, name: 'Names' });
        const { body } = await world.ask<Schema<'ToolPage'>>('GET', `tools?server_id=${id}`);
        const tools = body.data.map((one: { id: string }) => ({ tool: one.id }));
        for (const one of tools) await world.ask('PATCH', `tools/${one.tool}`, { grade: 'read' });
        const skill = await create('skills', { name: 'Names of tools', tools });
        const agent = await agentOf([], { skills: [skill.id] });
        const { toolset } = (await world.ask<Schema<'AgentDetail'>>('GET', `agents/${agent.id}`)).body;
        expect(agent.toolset).toEqual(toolset);
        const shown: string[] = [...toolset.offered, ...toolset.by_search].map(({ name }) => name);
        expect([new Set(shown).size, shown.filter((name) => !/^[\w-]{1,64}$/.test(name))]).toEqual([shown.length, []]);
        expect(shown.length + toolset.left_out.length).toBe(names.length);
        expect(toolset.by_search.length).toBeGreaterThan(0);
        for (const { reason, what_to_do } of [...toolset.by_search, ...toolset.left_out]) {
          expect([reason, what_to_do]).toEqual([expect.stringMatching(/^[a-z_]+$/), expect.stringMatching(/ /)]);
        }
        const offered: string[] = toolset.offered.map(({ name }: { name: string }) => name);
        for (const name of offered) await runOf(await agentOf([call(name, {}), 'reply: done'], { skills: [skill.id] }));
        expect([new Set(called).size, called.length]).toEqual([offered.length, offered.length]);
      } finally {
        await server.stop();
      }
    });
  });
}
