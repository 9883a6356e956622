import { logInToPostgres } from '#libs/database';
import { logInToRedis } from '#libs/queue';
import { WrongSettings } from '#libs/settings';
import { createLog, NestLog } from './log.js';

/** What of a service's settings is checked beside the rules in its `env.ts`. */
interface Checked {
  name: string;
  settings: { LOG_LEVEL: string; REDIS_URL: string | null };
}

/** `main.js --check` only says whether the settings are right; `--check=stores` also logs in to Postgres and Redis. */
export const asksToCheck = (): boolean => process.argv.some((argument) => /^--check(=|$)/.test(argument));
const asksForStores = (): boolean => process.argv.includes('--check=stores');

/**
 * Tries the settings of a release in a process that serves nothing and changes nothing, while older ones run.
 * @throws WrongSettings that names the store that lets nobody in, and why
 */
export async function checkStart({ name, settings }: Checked): Promise<void> {
  const log = new NestLog(createLog(name, settings.LOG_LEVEL));
  if (asksForStores()) {
    const database = 'DATABASE_URL' in settings ? String(settings.DATABASE_URL) : null;
    const tried = await Promise.all([
      database === null ? null : problemOf('DATABASE_URL: Postgres', logInToPostgres(database)),
      settings.REDIS_URL === null ? null : problemOf('REDIS_URL: Redis', logInToRedis(settings.REDIS_URL)),
    ]);
    const problems = tried.filter((each) => each !== null);
    if (problems.length > 0) throw new WrongSettings(problems);
  }
  log.log({ event: 'settings.checked', stores: asksForStores() });
}

async function problemOf(store: string, login: Promise<void>): Promise<string | null> {
  try {
    await login;
    return null;
  } catch (error) {
    return `${store} lets nobody in by it: ${error instanceof Error ? error.message || error.name : String(error)}`;
  }
}
