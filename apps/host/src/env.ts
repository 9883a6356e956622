import { readEnv, type Reader, text } from '#libs/service-kit';
import { hostedServices, path } from './hosted-services.js';

const hosted = Object.keys(hostedServices);

/** Comma-separated names in any order, among them `path` for those that a message passes, or `all`. */
const names: Reader<string[]> = (name, value) => {
  const given = (value || 'all').split(',').map((each) => each.trim());
  if (given.includes('all')) return hosted;
  const asked = given.flatMap((each) => (each === 'path' ? path : [each]));
  const unknown = asked.filter((each) => !hosted.includes(each));
  if (unknown.length > 0) {
    throw new Error(`${name} names unknown services (${unknown.join(', ')}). Known: path, ${hosted.join(', ')}`);
  }
  return hosted.filter((each) => asked.includes(each));
};

/** Read once at boot. @throws Error that lists every invalid setting */
export const readSettings = (environment?: NodeJS.ProcessEnv) =>
  readEnv({ GATEHOUSE_SERVICES: names, LOG_LEVEL: text('info') }, environment);

/**
 * The environment of one of this process's services. `<SERVICE>_<SETTING>` (`ROUTER_DATABASE_URL`) overrides the shared
 * `<SETTING>`, and so does its file form (`ROUTER_DATABASE_URL_FILE`).
 */
export function environmentOf(service: string, environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const prefix = `${service.toUpperCase().replaceAll('-', '_')}_`;
  const result = { ...environment };
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith(prefix)) continue;
    const own = name.slice(prefix.length);
    // If a service sets one form of a setting, the shared other form must not apply to it.
    const other = own.endsWith('_FILE') ? own.slice(0, -'_FILE'.length) : `${own}_FILE`;
    if (!(`${prefix}${other}` in environment)) delete result[other];
    result[own] = value;
  }
  return result;
}
