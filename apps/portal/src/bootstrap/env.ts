import { integer, readEnv, serviceSettings, url } from '#libs/service-kit';

const { DATABASE_URL, GATEHOUSE_SERVICE_KEY, PUBLIC_URL } = serviceSettings;

export const env = readEnv({
  DATABASE_URL,
  GATEHOUSE_SERVICE_KEY,
  PUBLIC_URL,
  GATEWAY_URL: url(),
  /** How long a sign-in link is valid. */
  SIGN_IN_LINK_SECONDS: integer(3_600, 60, 2_592_000),
});
