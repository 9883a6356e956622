import { readEnv, serviceSettings, url } from '#libs/service-kit';

const { DATABASE_URL, GATEHOUSE_SERVICE_KEY } = serviceSettings;

export const env = readEnv({ DATABASE_URL, GATEHOUSE_SERVICE_KEY, GATEWAY_URL: url() });
