import { integer, readEnv, serviceSettings, url } from '#libs/service-kit';

export const env = readEnv({
  ...serviceSettings,
  INGRESS_URL: url(),
  GATEWAY_URL: url(),
  /** Turn inputs up to this size travel inside the job, larger ones by reference. */
  INLINE_LIMIT_BYTES: integer(16_384, 0, 1_048_576),
  /** A turn that has not finished after this time is offered to the engine again. */
  TURN_LEASE_MS: integer(20_000, 1_000, 3_600_000),
  /** Messages of one transaction. */
  ROUTE_BATCH: integer(64, 1, 1_000),
});

export type RouterSettings = typeof env;
