import { newId } from '#libs/contracts';
import type { Principal } from '#libs/service-kit';
import { until } from '#libs/testing';
import { type PortalWorld, startPortal } from '../testing/portal-world.js';
import { type Application, TemplateRepository } from './template.repository.js';

const nowhere = 'http://127.0.0.1:1';
const made = { made: [{ kind: 'agent', name: 'Triage', id: 'agt_1' }], failed: null } satisfies Application;

describe('a template that is applied', () => {
  let portal: PortalWorld;
  let templates: TemplateRepository;

  beforeAll(async () => {
    const urls = { INGRESS_URL: nowhere, GATEWAY_URL: nowhere, VAULT_URL: nowhere, ROUTER_URL: nowhere };
    portal = await startPortal({ ...urls, ENGINE_URL: nowhere, MCP_REGISTRY_URL: nowhere }, 0);
    templates = portal.app.get(TemplateRepository, { strict: false });
  });
  afterAll(() => portal.close());

  const callerOf = async (): Promise<Principal> => {
    const { organizationId } = portal.tenant;
    const projectId = newId('prj');
    const sql = 'INSERT INTO portal.project (id, organization_id, name) VALUES ($1, $2, $1)';
    await portal.query(sql, [projectId, organizationId]);
    return { organizationId, projectId, subject: 'key:test', scopes: [] };
  };
  /** @returns what ends it, once it works */
  const begin = async (caller: Principal) => {
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const applied = templates.apply(caller, 'triage', async () => {
      begun.resolve();
      await end.promise;
      return made;
    });
    applied.catch(() => undefined);
    await begun.promise;
    return { end: end.resolve, applied };
  };

  it('to a third project at a time is refused until another one has ended, and two to one project always', async () => {
    const callers = [await callerOf(), await callerOf()] as const;
    const [third, fourth] = [await callerOf(), await callerOf()];
    const [one, other] = [await begin(callers[0]), await begin(callers[1])];
    await expect(templates.apply(third, 'triage', async () => made)).rejects.toMatchObject({
      status: 409,
      code: 'too_many_templates',
    });
    await expect(templates.apply(callers[0], 'triage', async () => made)).rejects.toMatchObject({
      code: 'template_in_progress',
    });
    one.end();
    expect(await one.applied).toEqual(made);
    expect(await templates.apply(third, 'triage', async () => made)).toEqual(made);
    await expect(
      templates.apply(fourth, 'triage', () => Promise.reject(new Error('a service is away'))),
    ).rejects.toThrow('a service is away');
    expect(await templates.apply(fourth, 'triage', async () => made)).toEqual(made);
    other.end();
    await other.applied;
  });

  it('is in the audit log also where Postgres ended the connection of its lock meanwhile', async () => {
    const caller = await callerOf();
    const { end, applied } = await begin(caller);
    const killed = await portal.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'
          AND (classid::bigint << 32 | objid::bigint) = hashtextextended('portal.template ' || $1, 0)`,
      [caller.projectId],
    );
    expect(killed).toHaveLength(1);
    end();
    await expect(applied).rejects.toThrow();
    await until('it is recorded', async () => {
      const sql = "SELECT after FROM portal.audit WHERE project_id = $1 AND action = 'template.applied'";
      return (await portal.query(sql, [caller.projectId])).length === 1;
    });
  });
});
