import { readEnv, type Reader, text } from '#libs/service-kit';
import { hostedServices } from './hosted-services.js';

const hosted = Object.keys(hostedServices);

/** Names, comma-separated, in whatever order; `all`. */
const names: Reader<string[]> = (name, value) => {
  const asked = (value || 'all').split(',').map((each) => each.trim());
  if (asked.includes('all')) return hosted;
  const unknown = asked.filter((each) => !hosted.includes(each));
  if (unknown.length > 0) {
    throw new Error(`${name} names ${unknown.join(', ')}: one process hosts all, or some of ${hosted.join(', ')}`);
  }
  return hosted.filter((each) => asked.includes(each));
};

/** Read once at boot. @throws Error with every setting that is wrong */
export const readSettings = (environment?: NodeJS.ProcessEnv) =>
  readEnv({ GATEHOUSE_SERVICES: names, LOG_LEVEL: text('info') }, environment);

/**
 * The environment of one of the services of this process: `<SERVICE>_<SETTING>` (`ROUTER_DATABASE_URL`) wins over
 * `<SETTING>`, which is everyone's.
 */
export function environmentOf(service: string, environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const prefix = `${service.toUpperCase().replaceAll('-', '_')}_`;
  const own = Object.entries(environment).filter(([name]) => name.startsWith(prefix));
  return { ...environment, ...Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length), value])) };
}
