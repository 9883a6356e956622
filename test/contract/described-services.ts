import 'reflect-metadata';
import { JobClient } from '#libs/queue';
import { Diagnoser, Metrics, serviceDocument, type ServiceOptions, ServiceTokens } from '#libs/service-kit';
import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiDocument } from '../../apps/portal/src/documentation/merge-documents.js';
import { ensureSecrets } from '../../scripts/launcher/secrets.mjs';
import { serviceEnv } from '../../scripts/launcher/service-env.mjs';
import { services } from '../../scripts/launcher/services.mjs';

const modules: Record<string, () => Promise<{ serviceFrom(environment: NodeJS.ProcessEnv): ServiceOptions }>> = {
  portal: () => import('../../apps/portal/src/service.js'),
  'adapter-gateway': () => import('../../apps/adapter-gateway/src/service.js'),
  router: () => import('../../apps/router/src/service.js'),
  'webhook-ingress': () => import('../../apps/webhook-ingress/src/service.js'),
  engine: () => import('../../apps/engine/src/service.js'),
  'mcp-registry': () => import('../../apps/mcp-registry/src/service.js'),
  'credential-vault': () => import('../../apps/credential-vault/src/service.js'),
};

/** Every service's description of its routes. No service is started: nothing is constructed, nothing connected. */
export async function describedServices(): Promise<Map<string, ApiDocument>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-described-'));
  const ports = Object.fromEntries(services.map(({ name }, index) => [name, 10_000 + index]));
  const envOf = serviceEnv({
    services,
    ports,
    stores: () => ({ databaseUrl: 'postgres://nowhere/gatehouse', redisUrl: 'redis://nowhere' }),
    secrets: ensureSecrets(dataDir),
    env: { ...process.env, NODE_ENV: 'development' },
  });
  const documents = new Map<string, ApiDocument>();
  try {
    for (const [name, load] of Object.entries(modules)) {
      const { module } = (await load()).serviceFrom(envOf(name));
      const app = await NestFactory.create<NestFastifyApplication>(inService(module), new FastifyAdapter(), {
        preview: true,
        logger: ['error'],
      });
      documents.set(name, serviceDocument(app, name));
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
  return documents;
}

/** Stands for a module that `createService` adds to every service. A preview looks it up but never constructs it. */
function inService(module: Type | DynamicModule): DynamicModule {
  const given = [ServiceTokens, Metrics, Diagnoser, JobClient];
  const provided = given.map((provide) => ({
    provide,
    useFactory: () => Promise.reject(new Error('A preview makes nothing.')),
  }));
  return { module: class PreviewRoot {}, global: true, imports: [module], providers: provided, exports: given };
}
