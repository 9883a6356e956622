import { until } from '#libs/testing';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeMcpServer } from '../../../apps/mcp-registry/src/testing/fake-mcp-server.js';
import type { Schema } from '../../../apps/console/src/api/named-schema.js';
import type { ContractApp, ContractWorld } from '../contract-world.js';

const double = 'def double(number: int) -> int:\n    """Twice the number."""\n    return number * 2\n';

/** Where tools come from, and what Skills share. @param shared the running system */
export function holdSkills(shared: () => ContractWorld): void {
  describe('a Skill', () => {
    let world: ContractWorld;
    let made = 0;
    let server: FakeMcpServer;

    beforeAll(async () => {
      world = shared();
      server = await FakeMcpServer.start();
    });
    afterAll(() => server?.stop());

    const create = <T extends { id: unknown } = { id: string }>(path: string, body: object): Promise<T> =>
      world.api<T>('POST', `/api/v1/${path}`, body);
    const runOf = async (call: string, more: object): Promise<string> => {
      const name = `of Skills ${(made += 1)}`;
      const agent = await create('agents', { name, instructions: `${call}\nreply: {{result}}`, ...more });
      const { id } = await create<{ id: number }>('workflows', { name, agent_id: agent.id });
      const run = await create(`workflows/${id}/runs`, { message: 'go' });
      return until(`the run ${run.id} ended`, async () => {
        const { body } = await world.ask<Schema<'RunDetailView'>>('GET', `runs/${run.id}`);
        return ['succeeded', 'failed'].includes(body.state) ? (body.reply_text ?? body.state) : null;
      });
    };
    /** The only sandbox takes its time to start on a busy machine. */
    const replyOf = (call: string, more: object): Promise<string> =>
      until('a sandbox is free', async () => {
        const reply = await runOf(call, more);
        return reply.includes('runner_busy') ? null : reply;
      });
    const mcpServer = async (
      auth: object = {},
    ): Promise<{ id: string; skill: Schema<'SkillDetail'>; tool: string }> => {
      const { id } = await create('mcp-servers', { url: server.url, name: `Server ${(made += 1)}`, ...auth });
      const { body } = await world.ask<Schema<'ServerView'>>('GET', `mcp-servers/${id}`);
      const { body: tools } = await world.ask<Schema<'ToolPage'>>('GET', `tools?server_id=${id}`);
      const skill = (await world.ask<Schema<'SkillDetail'>>('GET', `skills/${body.skill_id}`)).body;
      return { id, skill, tool: String(tools.data[0]?.id) };
    };
    const python = (name: string): Promise<string> =>
      until('a sandbox is free to read it', async () => {
        const source = double.replace('double', name);
        const { status, body } = await world.ask<{ id: string }>('POST', 'tools', { source });
        return status === 201 ? body.id : null;
      });

    it('bundles tools of all three places: built in, Python, and of an MCP server', async () => {
      const { tool: remote } = await mcpServer();
      const adapter = await world.adapters.mount('places', { credentials: [] });
      const tools = ['builtin:http_request', await python('double_in_skill'), remote].map((tool) => ({ tool }));
      const skill = await create('skills', { name: 'Three places', tools });
      const { body: agent } = await world.ask<Schema<'AgentDetail'>>('POST', 'agents', {
        name: 'three places',
        instructions: 'reply: hello',
        skills: [skill.id],
      });
      const names: string[] = agent.toolset.offered.map(({ name }: { name: string }) => name);
      const named = (part: string): string => names.find((name) => name.includes(part)) ?? `no tool ${part}: ${names}`;
      const calls = [
        `call http_request ${JSON.stringify({ method: 'GET', url: `${adapter.url}/health` })}`,
        `call ${named('double_in_skill')} {"number":21}`,
        `call ${named('first')} {"text":"over there"}`,
      ];
      const replies = [];
      for (const call of calls) replies.push(await replyOf(call, { skills: [skill.id] }));
      expect(replies).toEqual([
        expect.stringContaining('ready'),
        expect.stringContaining('42'),
        expect.stringContaining('over there'),
      ]);
      // None of them is asked of an adapter: it has channel logic only.
      expect((await adapter.calls()).map(({ route }) => route)).toEqual([]);
    });

    it('of an MCP server is there as soon as the server is, with its tools and its credential, and goes with it', async () => {
      const token = { name: 'of a server', type: 'api_key', fields: { token: 'a-token-of-a-server' } };
      const credential_id = (await create('credentials', token)).id;
      server.script.wants = { authorization: 'Bearer a-token-of-a-server' };
      const { id, skill, tool } = await mcpServer({ auth: { mode: 'bearer', credential_id } });
      expect(skill.tools).toEqual([{ tool, enabled: true }]);
      expect(skill.credentials).toMatchObject([{ credential_id }]);
      server.script.wants = {};
      expect((await world.ask('DELETE', `mcp-servers/${id}`)).status).toBe(204);
      expect((await world.ask('GET', `skills/${skill.id}`)).status).toBe(404);
    });

    it('whose MCP server is away costs its own calls, and no other tool', async () => {
      const away = await FakeMcpServer.start();
      const { id } = await create('mcp-servers', { url: away.url, name: 'Away' });
      const { body } = await world.ask<Schema<'ServerView'>>('GET', `mcp-servers/${id}`);
      const { body: skill } = await world.ask<Schema<'SkillDetail'>>('GET', `skills/${body.skill_id}`);
      const name = `${skill.slug}__first`;
      await away.stop();
      const skills = [String(body.skill_id)];
      const python_tools = [await python('double_beside')];
      expect(await replyOf('call agent__double_beside {"number":4}', { skills, python_tools })).toContain('8');
      expect(await replyOf(`call ${name} {"text":"anybody?"}`, { skills, python_tools })).toMatch(
        /unreachable|unavailable/,
      );
    });

    it('is not needed: a Python tool is given to an agent as it is', async () => {
      const python_tools = [await python('double_alone')];
      expect(await replyOf('call agent__double_alone {"number":8}', { python_tools })).toContain('16');
    });

    it('and others share one OAuth record with their App: one refresh serves them all, and no adapter sees it', async () => {
      const provider = await openTokenEndpoint();
      try {
        const adapter = await world.adapters.mount('shared', {
          credentials: [{ key: 'ACCOUNT', type: 'oauth2', label: 'Account', maps_to: 'access_token' }],
          oauth_config: { authorization_url: `${provider.url}/authorize`, token_url: `${provider.url}/token` },
        });
        await world.register(adapter);
        const fields = { client_id: 'id', client_secret: 'cs', access_token: 'token-0', refresh_token: 'refresh-0' };
        const account = { type: 'oauth2', grant: 'authorization_code', adapter_slug: adapter.slug, fields };
        const { id: credential_id } = await create('credentials', { name: adapter.slug, ...account });
        const install = { credentials: { ACCOUNT: credential_id } };
        const app = await world.api<ContractApp>('POST', `/api/v1/listings/${adapter.slug}/install`, install);
        await world.api('PATCH', `/api/v1/channels/${app.id}`, { unknown_senders: 'open' });
        const hosts = [new URL(adapter.url).host];
        const skills = await Promise.all(
          ['First', 'Second'].map((name) =>
            create('skills', {
              name: `${name} of ${adapter.slug}`,
              tools: [{ tool: 'builtin:http_request' }],
              credentials: [{ credential_id, as: 'account', hosts }],
            }),
          ),
        );
        await adapter.answer('orders', { json: { taken: true } });
        const { id } = await world.send(app, { from: 'jane', text: 'hello', about: { channel_address: 'room' } });
        await world.reached(id, 'delivery', 'delivered');
        const request = { method: 'POST', url: `${adapter.url}/orders`, body: {}, credential: 'account' };
        for (const skill of skills)
          await replyOf(`call http_request ${JSON.stringify(request)}`, { skills: [skill.id] });
        expect(provider.asked).toEqual([{ grant_type: 'refresh_token', refresh_token: 'refresh-0' }]);
        const delivered = (await adapter.calls('deliver')).map(({ body }) => Object(body['credentials']).access_token);
        expect(delivered).toEqual(['token-1']);
        const ordered = (await adapter.calls('orders')).map(({ headers }) => headers['authorization']);
        expect(ordered).toEqual(['Bearer token-1', 'Bearer token-1']);
        const known = ['verify', 'verify-webhook', 'parse-inbound', 'format', 'deliver', 'orders'];
        expect((await adapter.calls()).filter(({ route }) => !known.includes(route))).toEqual([]);
      } finally {
        await provider.close();
      }
    });
  });
}

/** A provider's token endpoint. Each refresh gives the next token. */
async function openTokenEndpoint() {
  const asked: Record<string, string | null>[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const form = new URLSearchParams(Buffer.concat(chunks).toString());
      asked.push({ grant_type: form.get('grant_type'), refresh_token: form.get('refresh_token') });
      const tokens = { access_token: `token-${asked.length}`, refresh_token: `refresh-${asked.length}` };
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ ...tokens, token_type: 'Bearer', expires_in: 3_600 }));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    asked,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
