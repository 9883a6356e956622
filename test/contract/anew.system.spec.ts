import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CourierWorld, startCourierWorld } from './anew/courier-world.js';
import { holdAway } from './anew/away.js';
import { holdFrozen } from './anew/frozen.js';
import { holdLapsed } from './anew/lapsed.js';
import { holdWorks } from './anew/works.js';

describe('an adapter that was written from its page alone, in a running system', () => {
  let world: CourierWorld;

  beforeAll(async () => {
    world = await startCourierWorld({ RENEWAL_SWEEP_MS: '300', HEALTH_POLL_MS: '500', HEALTH_POLL_MAX_MS: '1000' });
  });
  afterAll(() => world?.close());

  const shared = () => world;
  holdWorks(shared);
  holdAway(shared);
  holdLapsed(shared);
  holdFrozen(shared);

  it('was asked nothing that its page does not show', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/adapter-contract.md'), 'utf8');
    const shown = new Set([...page.matchAll(/^## ((?:GET|POST) \S+)$/gm)].map(([, route]) => route));
    const asked = new Set(world.adapter.answered().map(({ route }) => route));
    expect([...asked].filter((route) => !shown.has(route))).toEqual([]);
    expect([...shown].filter((route) => !asked.has(route ?? ''))).toEqual([]);
  });
});
