import { readEnv, serviceSettings, url } from '#libs/service-kit';

const { GATEHOUSE_SERVICE_KEY } = serviceSettings;

export const env = readEnv({ GATEHOUSE_SERVICE_KEY, VAULT_URL: url() });
