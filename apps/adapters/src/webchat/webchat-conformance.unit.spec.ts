import { describeConformance, loadFixtures } from '#libs/adapter-sdk';
import { hostAdapter } from '../testing/adapter-host.js';
import { createWebchatAdapter } from './webchat.adapter.js';

await describeConformance(
  { describe, it },
  {
    fixtures: loadFixtures(new URL('conformance', import.meta.url).pathname),
    start: () => hostAdapter(() => createWebchatAdapter()),
  },
);
