import { describeConformance, loadFixtures } from '#libs/adapter-sdk';
import { hostAdapter } from '../testing/adapter-host.js';
import { createTelegramAdapter } from './telegram.adapter.js';
import { HASTY_MS } from '../testing/patience.js';

await describeConformance(
  { describe, it },
  {
    fixtures: loadFixtures(new URL('conformance', import.meta.url).pathname),
    start: (providerUrl) => hostAdapter((http) => createTelegramAdapter({ ...http, apiUrl: providerUrl }), HASTY_MS),
  },
);
