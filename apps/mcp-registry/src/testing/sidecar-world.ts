import { until } from '#libs/testing';
import type { FastifyInstance } from 'fastify';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import type { SidecarSettings } from '../sidecar/env.js';
import { readServerFile } from '../sidecar/server-file.js';
import { createSidecar } from '../sidecar/sidecar.js';
import type { RegistryWorld } from './registry-world.js';

const filesystem = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'));
const memory = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js'));
const child = fileURLToPath(new URL('stdio-child.mjs', import.meta.url));
const command = process.execPath;

export const sidecarToken = 'a-token-of-the-operator-for-this-test';

/** The first message of a client. */
export const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});

/** Sidecars with a folder of their own and the servers `files`, `memory`, `child`, `broken` and `missing`. */
export class SidecarsWorld {
  readonly home = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-sidecar-')));
  readonly logged: Record<string, unknown>[] = [];
  private readonly started: FastifyInstance[] = [];

  /** @returns its URL, and how to stop it */
  async start(more: Partial<SidecarSettings> = {}): Promise<{ origin: string; stop: () => Promise<void> }> {
    const log = pino({}, { write: (line: string) => void this.logged.push(JSON.parse(line)) });
    const app = createSidecar({ ...this.settings(), ...more }, log);
    this.started.push(app);
    return { origin: await app.listen({ port: 0, host: '127.0.0.1' }), stop: () => app.close() };
  }

  async stop(): Promise<void> {
    await Promise.all(this.started.map((app) => app.close()));
  }

  clean(): void {
    rmSync(this.home, { recursive: true, force: true });
  }

  /** Processes of `child` that were started, running or not. */
  get pids(): number[] {
    const file = join(this.home, 'pids');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
  }

  sessions(): Record<string, unknown>[] {
    return this.logged.filter(({ event }) => event === 'sidecar.session');
  }

  private settings(): SidecarSettings {
    const { home } = this;
    const file = join(home, 'servers.json');
    const mcpServers = {
      files: { command, args: [filesystem, home] },
      memory: { command, args: [memory], env: { MEMORY_FILE_PATH: join(home, 'memory.jsonl') } },
      child: { command, args: [child], env: { PIDS: join(home, 'pids'), GIVEN: 'by the file' } },
      broken: { command, args: [child], env: { PIDS: join(home, 'broken'), BROKEN: 'yes' } },
      missing: { command: join(home, 'no-such-program') },
    };
    writeFileSync(file, JSON.stringify({ mcpServers }));
    return {
      PORT: 8080,
      HOST: '127.0.0.1',
      LOG_LEVEL: 'info',
      MCP_SIDECAR_FILE: readServerFile(file),
      MCP_SIDECAR_TOKEN: sidecarToken,
      MCP_SIDECAR_MESSAGE_BYTES: 65_536,
      MCP_SIDECAR_SESSIONS: 16,
      MCP_SIDECAR_PENDING: 8,
      MCP_SIDECAR_IDLE_MS: 60_000,
      MCP_SIDECAR_HEALTHY_MS: 60_000,
      MCP_SIDECAR_BACKOFF_MS: 60_000,
      MCP_SIDECAR_BACKOFF_MAX_MS: 60_000,
    };
  }
}

/** Sends a message as a streamable HTTP client does. */
export const postMessage = (url: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${sidecarToken}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body,
  });

/** Registers a server by its URL and calls its tools as the engine does. */
export function clientOf(registry: RegistryWorld) {
  registry.fake.credentials.set('cred_sidecar', { token: sidecarToken });
  return {
    register: (url: string, name: string, credential_id = 'cred_sidecar') =>
      registry.call('POST', 'mcp-servers', { url, name, policy: 'auto', auth: { mode: 'bearer', credential_id } }),
    callTool: async (serverId: string, name: string, args: object = {}) => {
      const { id, pin } = await until(`${name} is listed`, async () => {
        const { body } = await registry.call('GET', `tools?server_id=${serverId}&limit=200`);
        return body.data.find((one) => one.name === name);
      });
      return (await registry.internal('POST', 'tool-calls', { tool_id: id, pin, arguments: args, call_id: 'c' })).body;
    },
  };
}
