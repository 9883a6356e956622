import { type CourierWorld, startCourierWorld } from './anew/courier-world.js';
import { holdLapsed } from './anew/lapsed.js';

describe('an adapter that was written from its page alone, when something it needs is missing', () => {
  let world: CourierWorld;

  beforeAll(async () => {
    world = await startCourierWorld({ RENEWAL_SWEEP_MS: '300', HEALTH_POLL_MS: '500', HEALTH_POLL_MAX_MS: '1000' });
  });
  afterAll(() => world?.close());

  holdLapsed(() => world);
});
