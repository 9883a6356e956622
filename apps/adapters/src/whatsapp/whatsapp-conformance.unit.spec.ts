import { describeConformance, loadFixtures } from '#libs/adapter-sdk';
import { hostAdapter } from '../testing/adapter-host.js';
import { HASTY_MS } from '../testing/patience.js';
import { createWhatsappAdapter } from './whatsapp.adapter.js';

await describeConformance(
  { describe, it },
  {
    fixtures: loadFixtures(new URL('conformance', import.meta.url).pathname),
    start: (providerUrl) => hostAdapter((http) => createWhatsappAdapter({ ...http, apiUrl: providerUrl }), HASTY_MS),
  },
);
