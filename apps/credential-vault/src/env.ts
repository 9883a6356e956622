import { integer, json, readEnv, serviceSettings } from '#libs/service-kit';
import { readKekRing } from './sealing/kek-ring.js';

export const env = readEnv({
  ...serviceSettings,
  GATEHOUSE_KEK_RING: json(readKekRing),
  /** How long an unwrapped data key is kept in memory. */
  DEK_CACHE_MS: integer(60_000, 0, 600_000),
  DEK_CACHE_ENTRIES: integer(10_000, 1, 1_000_000),
});
