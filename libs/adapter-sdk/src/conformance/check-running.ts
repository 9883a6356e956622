import { readFileSync } from 'node:fs';
import { checkAdapter } from './check-adapter.js';
import { loadFixtures } from './load-fixtures.js';
import type { ConformanceReport } from './report.js';

/** The options of a check, as typed on a command line. */
export interface CheckedAdapter {
  url: string;
  /** Folder with `conformance.json`. */
  fixtures?: string | undefined;
  providerPort?: string | undefined;
  /** Another instance of the same build. */
  second?: string | undefined;
  /** The file that the adapter logs to. */
  log?: string | undefined;
  timeoutMs?: string | undefined;
  /** GATEHOUSE_ADAPTER_SECRET: one, or two during a rotation. */
  secrets?: string | undefined;
}

/** Runs the kit against an adapter that is already running. @throws Error for an invalid option */
export async function checkRunningAdapter(given: CheckedAdapter): Promise<ConformanceReport> {
  const { url, log, second, fixtures } = given;
  const logs = log === undefined ? undefined : (): string => readFileSync(log, 'utf8');
  const instances = [url, ...(second === undefined ? [] : [second])].map(httpUrl);
  const timeoutMs = whole('--timeout', given.timeoutMs);
  const providerPort = whole('--provider-port', given.providerPort);
  const secret = (given.secrets ?? '').split(',').filter((entry) => entry !== '');
  let started = 0;
  return checkAdapter({
    fixtures: fixtures === undefined ? {} : loadFixtures(fixtures),
    start: () => ({ url: instances[Math.min(started++, instances.length - 1)] ?? url, ...(logs && { logs }) }),
    single: second === undefined,
    ...(secret.length > 0 && { secret }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(providerPort !== undefined && { providerPort }),
  });
}

function httpUrl(text: string): string {
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? '')) throw new Error(`${text} is not an http or https URL`);
  return text;
}

function whole(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name} must be a whole number`);
  return Number(text);
}
