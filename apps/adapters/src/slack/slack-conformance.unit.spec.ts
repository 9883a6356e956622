import { describeConformance, loadFixtures } from '#libs/adapter-sdk';
import { hostAdapter } from '../testing/adapter-host.js';
import { createSlackAdapter } from './slack.adapter.js';
import { HASTY_MS } from '../testing/patience.js';

await describeConformance(
  { describe, it },
  {
    fixtures: loadFixtures(new URL('conformance', import.meta.url).pathname),
    start: (providerUrl) =>
      hostAdapter((http) => createSlackAdapter({ ...http, apiUrl: providerUrl, filesUrl: providerUrl }), HASTY_MS),
  },
);
