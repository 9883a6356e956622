import { describeConformance, loadFixtures } from '#libs/adapter-sdk';
import { hostAdapter } from '../testing/adapter-host.js';
import { HASTY_MS } from '../testing/patience.js';
import { createLinearAdapter } from './linear.adapter.js';

await describeConformance(
  { describe, it },
  {
    fixtures: loadFixtures(new URL('conformance', import.meta.url).pathname),
    start: (providerUrl) => hostAdapter((http) => createLinearAdapter({ ...http, apiUrl: providerUrl }), HASTY_MS),
  },
);
