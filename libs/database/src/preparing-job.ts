import { WrongSettings } from '#libs/settings';
import pg from 'pg';

/** What keeps a job from preparing the database: sentences for whoever starts the system, to which no stack belongs. */
export class DatabaseRefused extends Error {}

/** A wrong password; a role that is not there, or may not log in. */
const wrongLogin = ['28P01', '28000'];

/**
 * Logs in for such a job, by the URL of the setting that is named.
 * @throws DatabaseRefused, with the server's reason, or that none answers
 */
export async function logInFor(job: string, setting: string, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: job });
  try {
    await client.connect();
    return client;
  } catch (error) {
    // After a refusal the socket may fail once more, which is no news.
    client.on('error', () => undefined);
    await client.end().catch(() => undefined);
    const { message = '', code = '' } = error as { message?: string; code?: string };
    const advice = wrongLogin.includes(code)
      ? 'Give it the password that Postgres knows: one in a setting changes nothing there (docs/guides/rotate-keys.md).'
      : 'Check that Postgres runs, and is reached by this address.';
    throw new DatabaseRefused(
      `${setting}: Postgres lets nobody in by it: ${message || code || 'no reason'}. ${advice}`,
    );
  }
}

/**
 * Runs a job that prepares the database to its end. It prints what came of it; and why it was refused in one line of the
 * log. Anything else that fails is a fault of the program, and is thrown.
 */
export async function runPreparingJob(service: string, run: () => Promise<unknown>): Promise<void> {
  try {
    process.stdout.write(`${JSON.stringify(await run())}\n`);
  } catch (error) {
    const isSetting = error instanceof WrongSettings;
    if (!isSetting && !(error instanceof DatabaseRefused)) throw error;
    writeLine(service, 60, isSetting ? 'settings.refused' : 'database.refused', error.message);
    // EX_CONFIG of sysexits.h.
    process.exitCode = 78;
  }
}

/** A line of the job's log, as services write them. */
export function writeLine(service: string, level: number, event: string, msg: string): void {
  process.stdout.write(`${JSON.stringify({ level, time: new Date().toISOString(), service, event, msg })}\n`);
}
