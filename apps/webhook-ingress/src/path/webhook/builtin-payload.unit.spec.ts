import type { Endpoint } from '#libs/contracts';
import { Problem, type ServiceClient } from '#libs/service-kit';
import { until } from '#libs/testing';
import { BuiltinPayload } from './builtin-payload.js';

const endpoint = { organization_id: 'org_1', project_id: 'prj_1' } as Endpoint;

/** @returns the check, and how often it has asked a router that fails in this way */
function payloadOf(error: Error): [BuiltinPayload, () => number] {
  let asked = 0;
  const get = (): Promise<never> => {
    asked += 1;
    return Promise.reject(error);
  };
  return [new BuiltinPayload({ get } as unknown as ServiceClient, { MESSAGE_MAX_DEPTH: 20 }), () => asked];
}

describe('the workflow that a webhook names', () => {
  it('is taken as it is while the router does not answer, which is asked twice a second at most', async () => {
    const [payload, asked] = payloadOf(new Problem(503, 'unavailable', 'Postgres does not answer'));
    for (let n = 0; n < 20; n += 1) await payload.requireWorkflow(endpoint, 7);
    expect(asked()).toBe(1);
    await until('it is asked once more', async () => {
      await payload.requireWorkflow(endpoint, 7);
      return asked() === 2;
    });
  });

  it('is refused whenever the router does not know it', async () => {
    const [payload, asked] = payloadOf(new Problem(404, 'not_found', 'There is no such workflow'));
    for (let n = 0; n < 2; n += 1) {
      await expect(payload.requireWorkflow(endpoint, 7)).rejects.toMatchObject({ code: 'workflow_not_found' });
    }
    expect(asked()).toBe(2);
  });
});
