import { columnsOf } from '#libs/contracts';
import { DatabaseModule } from '#libs/database';
import { ServiceTokens } from '#libs/service-kit';
import { NestFactory } from '@nestjs/core';
import { schema } from '../db/schema.js';
import { BootstrapModule } from './bootstrap.module.js';
import { env } from './env.js';
import { FirstTenantRepository } from './first-tenant.repository.js';
import { OwnerLinkRepository } from './owner-link.repository.js';
import { ensureWebhookApp } from './webhook-app.js';

const database = { url: env.DATABASE_URL, poolSize: 2, applicationName: 'portal-bootstrap' };

/**
 * Creates what a new installation needs, and prints it as one line of JSON. It may run any number of times, at any
 * time. `--owner-link` adds a link that signs the owner in once, `--api-key` a new key of the owner.
 */
const app = await NestFactory.createApplicationContext(
  {
    module: BootstrapModule,
    imports: [DatabaseModule.forService(schema, database)],
    providers: [OwnerLinkRepository],
  },
  { logger: ['error', 'warn'] },
);
try {
  const tenants = app.get(FirstTenantRepository);
  const tenant = await tenants.ensureTenant();
  const tokens = new ServiceTokens(env.GATEHOUSE_SERVICE_KEY, 'portal');
  const principal = { ...tenant, subject: 'service:portal', scopes: ['admin' as const] };
  const webhook = await ensureWebhookApp(env.GATEWAY_URL, await tokens.mint('adapter-gateway', principal));
  const link = process.argv.includes('--owner-link')
    ? (await app.get(OwnerLinkRepository).make(tenant.organizationId, env)).sign_in_link
    : null;
  // Last, since a key that is made but not printed is lost.
  const key = process.argv.includes('--api-key') ? await tenants.makeKey(tenant) : await tenants.ensureKey(tenant);
  const owner = columnsOf(tenant);
  process.stdout.write(`${JSON.stringify({ ...owner, api_key: key, owner_link: link, ...webhook })}\n`);
} finally {
  await app.close();
}
