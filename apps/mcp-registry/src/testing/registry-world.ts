import { openWorld, testEnvironment, type World } from '#libs/testing';
import { readSettings, type RegistrySettings } from '../env.js';
import { registryService } from '../service.js';
import { type FakeServices, startFakeServices } from './fake-services.js';
import type { RegistryInternalViews, RegistryViews } from './registry-views.js';

/** Called as a person who may let agents do more, and by the engine. */
export interface RegistryWorld extends World<RegistrySettings, RegistryViews, RegistryInternalViews> {
  fake: FakeServices;
}

/** The registry on a database of its own or of another one (`DATABASE_URL`), and fakes of the services that it calls. */
export async function startRegistry(settings: Partial<RegistrySettings> = {}): Promise<RegistryWorld> {
  const fake = await startFakeServices();
  const urls = { VAULT_URL: fake.url, ENGINE_URL: fake.url, PYTHON_RUNNER_URL: fake.url };
  const registry = await openWorld<RegistrySettings, RegistryViews, RegistryInternalViews>({
    service: registryService,
    settings: { ...readSettings(testEnvironment()), ...changed, ...urls, ...settings },
    databaseUrl: settings.DATABASE_URL,
    caller: { scopes: ['admin', 'approvals:manage'] },
    neighbor: 'engine',
    beside: [fake],
  });
  await registry.start();
  return Object.assign(registry, { fake });
}

const changed: Partial<RegistrySettings> = {
  GATEHOUSE_EGRESS_ALLOW: ['127.0.0.0/8'],
  MCP_CONNECT_TIMEOUT_MS: 8_000,
  MCP_CALL_TIMEOUT_MS: 8_000,
  MCP_CALL_MAX_MS: 30_000,
  MCP_PROGRESS_EVERY_MS: 0,
  MCP_RESPONSE_BYTES: 262_144,
  MCP_STREAM_BYTES: 262_144,
  MCP_OUTPUT_BYTES: 4_096,
  MCP_IMAGE_BYTES: 4_096,
  MCP_LIST_PAGES: 5,
  MCP_LIST_TOOLS: 50,
  MCP_LIST_BYTES: 262_144,
  MCP_DEFINITION_BYTES: 8_192,
  MCP_DEFINITION_SCHEMAS: 1_000,
  MCP_IDLE_MS: 60_000,
  MCP_CONNECTIONS: 50,
  MCP_SESSION_SWEEP_MS: 3_600_000,
  DISCOVERY_EVERY_MS: 3_600_000,
  DISCOVERY_SWEEP_MS: 3_600_000,
  SERVERS_PER_PROJECT: 50,
  CREDENTIAL_CACHE_MS: 0,
  COMPILE_TIMEOUT_MS: 20_000,
  TRY_TIMEOUT_MS: 20_000,
  TRY_SILENCE_MS: 500,
};

/** The source of a Python tool with that name. */
export const pythonSource = (name: string, body = 'return 1'): string =>
  `def ${name}() -> int:\n    "A number."\n    ${body}\n`;
