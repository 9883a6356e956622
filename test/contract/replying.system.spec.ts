import { type ContractWorld, startContractWorld } from './contract-world.js';
import { holdDelivery } from './points/delivery.js';
import { holdPage } from './points/page.js';
import { holdReplies } from './points/replies.js';
import { holdSkills } from './points/skills.js';
import { holdTools } from './points/tools.js';

describe('what the platform does and sends, in a running system', () => {
  let world: ContractWorld;

  beforeAll(async () => {
    world = await startContractWorld({ TURN_MAX_TOOLS: '6', RENEWAL_SWEEP_MS: '300' });
  });
  afterAll(() => world?.close());

  const shared = () => world;
  holdDelivery(shared);
  holdReplies(shared);
  holdTools(shared);
  holdSkills(shared);
  holdPage(shared);
});
