import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { patienceMs } from '#libs/testing';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startSmallSystem, type System } from '../system/system.js';

const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));

/**
 * Those that need no tools, resources or prompts of the suite's own example server. `dns-rebinding-protection` is for servers
 * that anybody on the machine may call: here each request has a key, which no foreign page knows.
 */
const scenarios = ['server-initialize', 'ping', 'tools-list'];
const servers = ['/mcp', '/mcp/operations'];
const runs = servers.flatMap((server) => scenarios.map((scenario) => [scenario, server] as const));

describe('the server scenarios of the MCP conformance suite that need no example tools', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'gatehouse-mcp-server-'));
  let system: System;
  let agent: string;
  /** Adds the key, which the suite cannot. */
  let door: Server;

  beforeAll(async () => {
    system = await startSmallSystem();
    const { data } = await system.api<{ data: { id: string }[] }>('GET', '/api/v1/agents');
    agent = data[0]?.id ?? '';
    const published = { name: 'chief', description: 'Knows everything.' };
    await system.api('PUT', `/api/v1/agents/${agent}/publication`, published);
    door = createServer((asked, answering) => {
      const headers = { ...asked.headers, authorization: `Bearer ${system.apiKey}` };
      const onward = forward(new URL(asked.url ?? '/', system.origin('portal')), { method: asked.method, headers });
      onward.on('response', (answer) => {
        answering.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(answering);
      });
      onward.on('error', () => answering.destroy());
      asked.pipe(onward);
    });
    await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    door.closeAllConnections();
    door.close();
    await system.stop();
    rmSync(cwd, { recursive: true, force: true });
  });

  it.each(runs)('%s passes at %s', async (scenario, server) => {
    const url = `http://localhost:${(door.address() as AddressInfo).port}${server}`;
    const output = await new Promise<string>((resolve) => {
      const options = { cwd, timeout: patienceMs };
      const args = [suite, 'server', '--url', url, '--scenario', scenario];
      execFile(process.execPath, args, options, (error, stdout, stderr) =>
        resolve(error ? `${stdout}${stderr}`.slice(-3_000) : 'passed'),
      );
    });
    expect(output).toBe('passed');
  });

  it('what came in over the HTTP binding of A2A is found and explained at /mcp/operations', async () => {
    const url = `http://localhost:${(door.address() as AddressInfo).port}`;
    const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'Where is order 7?' }] };
    const asked = await fetch(`${url}/a2a/${agent}/message:send`, {
      method: 'POST',
      headers: { 'content-type': 'application/a2a+json', 'a2a-version': '1.0' },
      body: JSON.stringify({ message, configuration: { returnImmediately: true } }),
    });
    const { task } = (await asked.json()) as { task: { metadata: { gatehouse_event: string } } };
    const event = task.metadata.gatehouse_event;
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp/operations`)));
    const read = async (name: string, args: object) => {
      const { content } = await client.callTool({ name, arguments: { ...args } });
      return (content as { text: string }[])[0]?.text ?? '';
    };
    const written = /event type: agent_request\ntext:\nWhere is order 7\?\n\[\/external/;
    expect(await read('find_events', { text: 'order 7' })).toMatch(written);
    const explained = await read('explain_event', { event_id: event });
    expect(explained).toMatch(written);
    expect(explained).toMatch(/"entry":\{"at":"[^"]+","service":"router","stage":"routed","outcome":"routed"/);
    expect(await read('list_dead_letters', {})).toContain('No dead letter.');
    expect(await read('list_problems', {})).toContain('No problem.');
    expect(await read('list_attention', {})).toMatch(/needs attention/);
    await client.close();
  });
});
