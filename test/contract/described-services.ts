import 'reflect-metadata';
import { JobClient } from '#libs/queue';
import { Diagnoser, Metrics, serviceDocument, ServiceTokens } from '#libs/service-kit';
import { type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiDocument } from '../../apps/portal/src/documentation/merge-documents.js';
import { ensureSecrets } from '../../scripts/launcher/secrets.mjs';
import { serviceEnv } from '../../scripts/launcher/service-env.mjs';
import { services } from '../../scripts/launcher/services.mjs';

/** Each service's own module, with the settings that it reads from the environment as it is loaded. */
const modules: Record<string, () => Promise<DynamicModule>> = {
  portal: async () => {
    const { env } = await import('../../apps/portal/src/env.js');
    return (await import('../../apps/portal/src/app.module.js')).AppModule.with(env);
  },
  'adapter-gateway': async () => {
    const { env } = await import('../../apps/adapter-gateway/src/env.js');
    return (await import('../../apps/adapter-gateway/src/app.module.js')).AppModule.with(env);
  },
  router: async () => {
    const { env } = await import('../../apps/router/src/env.js');
    return (await import('../../apps/router/src/app.module.js')).AppModule.with(env);
  },
  'webhook-ingress': async () => {
    const { env } = await import('../../apps/webhook-ingress/src/env.js');
    return (await import('../../apps/webhook-ingress/src/app.module.js')).AppModule.with(env);
  },
  engine: async () => {
    const { env } = await import('../../apps/engine/src/env.js');
    return (await import('../../apps/engine/src/app.module.js')).AppModule.with(env);
  },
  'mcp-registry': async () => {
    const { env } = await import('../../apps/mcp-registry/src/env.js');
    return (await import('../../apps/mcp-registry/src/app.module.js')).AppModule.with(env);
  },
  'credential-vault': async () => {
    const { env } = await import('../../apps/credential-vault/src/env.js');
    return (await import('../../apps/credential-vault/src/app.module.js')).AppModule.with(env);
  },
};

/** What every service says of its own routes, made without starting one: nothing is constructed, nothing connected. */
export async function describedServices(): Promise<Map<string, ApiDocument>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-described-'));
  const before = { ...process.env };
  const ports = Object.fromEntries(services.map(({ name }, index) => [name, 10_000 + index]));
  const envOf = serviceEnv({
    services,
    ports,
    stores: () => ({ databaseUrl: 'postgres://nowhere/gatehouse', redisUrl: 'redis://nowhere' }),
    secrets: ensureSecrets(dataDir),
    env: { ...before, NODE_ENV: 'development' },
  });
  const documents = new Map<string, ApiDocument>();
  try {
    for (const [name, load] of Object.entries(modules)) {
      Object.assign(process.env, envOf(name));
      const adapter = new FastifyAdapter();
      const app = await NestFactory.create<NestFastifyApplication>(inService(await load()), adapter, {
        preview: true,
        logger: ['error'],
      });
      documents.set(name, serviceDocument(app, name));
    }
  } finally {
    process.env = before;
    rmSync(dataDir, { recursive: true, force: true });
  }
  return documents;
}

/** A module among what `createService` gives every service, which a preview looks for and never makes. */
function inService(module: DynamicModule): DynamicModule {
  const given = [ServiceTokens, Metrics, Diagnoser, JobClient];
  const provided = given.map((provide) => ({
    provide,
    useFactory: () => Promise.reject(new Error('A preview makes nothing.')),
  }));
  return { module: class PreviewRoot {}, global: true, imports: [module], providers: provided, exports: given };
}
