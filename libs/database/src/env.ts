import { settingOf, WrongSettings } from '#libs/settings';
import type { LockWaits } from './service-schema.js';

/** The database to migrate. @throws WrongSettings when it is not set */
export function databaseUrl(): string {
  return given('DATABASE_URL', 'give the Postgres URL to migrate');
}

/** How long a migration waits for a lock. @throws WrongSettings where one is no whole number of ms */
export function lockWaits(): LockWaits {
  return { onceMs: ms('MIGRATE_LOCK_TIMEOUT_MS', 2_000), totalMs: ms('MIGRATE_LOCK_PATIENCE_MS', 600_000) };
}

function ms(name: string, otherwise: number): number {
  const text = settingOf(name, process.env) ?? '';
  if (text !== '' && !/^[1-9]\d{0,8}$/.test(text))
    throw new WrongSettings([`${name} is not a whole number of ms over 0.`]);
  return text === '' ? otherwise : Number(text);
}

/** As the role of one service, where a process hosts several: `ROUTER_DATABASE_URL`. @throws WrongSettings as above */
export function databaseUrlOf(service: string): string {
  const own = `${service.toUpperCase().replaceAll('-', '_')}_DATABASE_URL`;
  return settingOf(own, process.env) ?? databaseUrl();
}

/** The role that creates the services' roles. @throws WrongSettings when it is not set */
export function databaseAdminUrl(): string {
  return given('DATABASE_ADMIN_URL', 'give the Postgres URL of a role that may make roles');
}

/** By service, and `owner`. @throws WrongSettings when it is not set, or is not an object of strings */
export function rolePasswords(): Record<string, string> {
  const name = 'GATEHOUSE_DATABASE_PASSWORDS';
  const text = given(name, 'give {"owner": "...", "<service>": "..."}');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The value is secret: the error must not contain it.
    throw new WrongSettings([`${name} is not valid JSON.`]);
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject || !Object.values(value as object).every((each) => typeof each === 'string')) {
    throw new WrongSettings([`${name} is not an object of passwords by service.`]);
  }
  return value as Record<string, string>;
}

/**
 * Compose reads settings.env into every container, and then sets its own values over it. Names that it sets are given to
 * this process, which has none of them itself: one that is there came from settings.env and would have no effect. Where
 * the image sets one, its value follows the name.
 * @throws WrongSettings that names them
 */
export function refuseOverridden(environment: NodeJS.ProcessEnv = process.env): void {
  const named = (environment['GATEHOUSE_NOT_IN_SETTINGS'] ?? '').split(/\s+/).filter(Boolean);
  const overridden = named.flatMap((entry) => {
    const [name = '', ...ofImage] = entry.split('=');
    const isOwn = ofImage.length > 0 && environment[name] === ofImage.join('=');
    return name in environment && !isOwn ? [name] : [];
  });
  if (overridden.length === 0) return;
  throw new WrongSettings([
    `settings.env sets ${overridden.join(', ')}, which docker-compose.yml overrides: put what .env.example names into .env, and remove the rest.`,
  ]);
}

function given(name: string, advice: string): string {
  const value = settingOf(name, process.env);
  if (!value) throw new WrongSettings([`${name} is not set: ${advice}.`]);
  return value;
}
