import { integer, list, optionalText, readEnv, serviceSettings, url } from '#libs/service-kit';

export const env = readEnv({
  ...serviceSettings,
  INGRESS_URL: url(),
  VAULT_URL: url(),
  ENGINE_URL: url(),
  /** host:port or CIDR that outgoing calls may reach though it is not a public address. */
  GATEHOUSE_EGRESS_ALLOW: list,
  /** Signs the calls to adapters; comma-separated, the first one signs. */
  GATEHOUSE_ADAPTER_SECRET: optionalText,
  ADAPTER_TIMEOUT_MS: integer(10_000, 100, 120_000),
  /** Bytes of an adapter's answer. */
  ADAPTER_MAX_RESPONSE_BYTES: integer(4_194_304, 1_024, 104_857_600),
  DELIVERY_TIMEOUT_MS: integer(10_000, 100, 120_000),
  /** Messages up to this size travel inside the job, larger ones by reference. */
  INLINE_LIMIT_BYTES: integer(16_384, 0, 1_048_576),
  /** A delivery that nobody works on for this long is taken up again. */
  DELIVERY_LEASE_MS: integer(30_000, 1_000, 3_600_000),
  HEALTH_POLL_MS: integer(15_000, 500, 3_600_000),
});

export type GatewaySettings = typeof env;
