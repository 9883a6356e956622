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

describe('the server scenarios of the MCP conformance suite that need no example tools', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'gatehouse-mcp-server-'));
  let system: System;
  /** Adds the key, which the suite cannot. */
  let door: Server;

  beforeAll(async () => {
    system = await startSmallSystem();
    const { data } = await system.api<{ data: { id: string }[] }>('GET', '/api/v1/agents');
    const published = { name: 'chief', description: 'Knows everything.' };
    await system.api('PUT', `/api/v1/agents/${data[0]?.id}/publication`, published);
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

  it.each(scenarios)('%s passes', async (scenario) => {
    const url = `http://localhost:${(door.address() as AddressInfo).port}/mcp`;
    const output = await new Promise<string>((resolve) => {
      const options = { cwd, timeout: patienceMs };
      const args = [suite, 'server', '--url', url, '--scenario', scenario];
      execFile(process.execPath, args, options, (error, stdout, stderr) =>
        resolve(error ? `${stdout}${stderr}`.slice(-3_000) : 'passed'),
      );
    });
    expect(output).toBe('passed');
  });
});
