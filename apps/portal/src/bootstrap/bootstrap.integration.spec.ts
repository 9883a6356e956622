import { testDatabase, type TestDatabase } from '#libs/testing';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DataSource } from 'typeorm';
import { ApiKey } from '../api-keys/api-key.entity.js';
import { hashOf } from '../api-keys/key-text.js';
import { Organization } from '../organizations/organization.entity.js';
import { Project } from '../projects/project.entity.js';
import { FirstTenantRepository } from './first-tenant.repository.js';
import { ensureWebhookApp } from './webhook-app.js';

describe('the first tenant', () => {
  let database: TestDatabase;
  let db: DataSource;

  beforeAll(async () => {
    database = await testDatabase();
    const entities = [Organization, Project, ApiKey];
    db = await new DataSource({ type: 'postgres', url: database.url, schema: 'portal', entities }).initialize();
  });
  afterAll(async () => {
    await db.destroy();
    await database.drop();
  });

  it('is created once, by however many concurrent processes, and its key is shown once', async () => {
    const tenants = new FirstTenantRepository(db);
    const made = await Promise.all([tenants.ensureTenant(), tenants.ensureTenant(), tenants.ensureTenant()]);
    expect(new Set(made.map(({ organizationId, projectId }) => `${organizationId} ${projectId}`)).size).toBe(1);
    const [tenant] = made;
    const keys = await Promise.all([tenants.ensureKey(tenant), tenants.ensureKey(tenant)]);
    const created = keys.filter((key) => key !== null);
    expect(created).toHaveLength(1);
    const row = await db.manager.findOneByOrFail(ApiKey, { project_id: tenant.projectId });
    expect(row).toMatchObject({
      hash: hashOf(created[0]!),
      last4: created[0]!.slice(-4),
      scopes: ['admin', 'approvals:manage'],
    });
    expect(await tenants.ensureKey(tenant)).toBeNull();
  });

  it('gets another key for its owner whenever the operator asks', async () => {
    const tenants = new FirstTenantRepository(db);
    const tenant = await tenants.ensureTenant();
    const key = await tenants.makeKey(tenant);
    const row = await db.manager.findOneByOrFail(ApiKey, { hash: hashOf(key) });
    expect(row).toMatchObject({
      project_id: tenant.projectId,
      scopes: ['admin', 'approvals:manage'],
      revoked_at: null,
    });
    expect(await tenants.makeKey(tenant)).not.toBe(key);
  });

  it('matches the entities in its columns and indexes', async () => {
    const { upQueries } = await db.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });
});

describe('the Webhook App', () => {
  const token = 'tok_123';
  let apps: { id: string; kind: string }[] = [];
  let failures = 0;
  let refuse = false;
  let server: Server;
  let url: string;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const send = (status: number, body: object) => response.writeHead(status).end(JSON.stringify(body));
      if (refuse) return send(403, { code: 'scope_missing' });
      if (failures > 0) {
        failures -= 1;
        return send(503, {});
      }
      if (request.method === 'POST') {
        apps.push({ id: 'app_1', kind: 'builtin' });
        return send(201, { ...apps[0], webhook_path: `/api/v1/webhooks/${token}` });
      }
      if (request.url?.startsWith('/api/v1/apps/')) {
        return send(200, { ...apps[0], webhook_url: `http://gatehouse.test/api/v1/webhooks/${token}` });
      }
      return send(200, { data: apps, next_cursor: null });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    apps = [];
    failures = 0;
    refuse = false;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it('is created when there is none, and found the next time', async () => {
    const expected = { app_id: 'app_1', webhook_url_path: `/api/v1/webhooks/${token}`, webhook_token: token };
    expect(await ensureWebhookApp(url, 'jwt')).toEqual(expected);
    expect(await ensureWebhookApp(url, 'jwt')).toEqual(expected);
    expect(apps).toHaveLength(1);
  });

  it('waits for a gateway that is not ready', async () => {
    failures = 1;
    expect((await ensureWebhookApp(url, 'jwt')).app_id).toBe('app_1');
  });

  it('does not wait where the gateway refuses, and reports the answer of the gateway', async () => {
    refuse = true;
    await expect(ensureWebhookApp(url, 'jwt')).rejects.toThrow(/answered 403 .*scope_missing/);
  });
});
