import { readEnv, serviceSettings, url } from '#libs/service-kit';

export const env = readEnv({
  ...serviceSettings,
  VAULT_URL: url(),
});

export type RegistrySettings = typeof env;
