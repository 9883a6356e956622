import { type ContractWorld, startContractWorld } from './contract-world.js';
import { holdBodies } from './points/bodies.js';
import { holdChallenges } from './points/challenges.js';
import { holdCredentials } from './points/credentials.js';
import { holdInbound } from './points/inbound.js';
import { holdTypedFields } from './points/typed-fields.js';
import { holdWebhook } from './points/webhook.js';

describe('what an adapter receives, in a running system', () => {
  let world: ContractWorld;

  beforeAll(async () => {
    world = await startContractWorld({ HANDSHAKE_TIMEOUT_MS: '10000' });
  });
  afterAll(() => world?.close());

  const shared = () => world;
  holdInbound(shared);
  holdChallenges(shared);
  holdCredentials(shared);
  holdTypedFields(shared);
  holdBodies(shared);
  holdWebhook(shared);
});
