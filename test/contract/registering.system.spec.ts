import { type ContractWorld, startContractWorld } from './contract-world.js';
import { holdAdapterChanges } from './points/adapter-changes.js';
import { holdManifests } from './points/manifests.js';
import { holdReasons } from './points/reasons.js';
import { holdRegistration } from './points/registration.js';
import { holdSources } from './points/sources.js';
import { holdVerify } from './points/verify.js';

describe('the life of an adapter, in a running system', () => {
  let world: ContractWorld;

  beforeAll(async () => {
    world = await startContractWorld({
      HEALTH_POLL_MS: '300',
      HEALTH_POLL_MAX_MS: '600',
      SYNC_SWEEP_MS: '200',
      ADAPTER_TIMEOUT_MS: '5000',
      ADAPTER_CALL_ATTEMPTS: '1',
    });
  });
  afterAll(() => world?.close());

  const shared = () => world;
  holdRegistration(shared);
  holdAdapterChanges(shared);
  holdSources(shared);
  holdVerify(shared);
  holdReasons(shared);
  holdManifests(shared);
});
