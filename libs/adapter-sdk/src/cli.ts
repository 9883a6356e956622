#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { checkAdapter } from './conformance/check-adapter.js';
import { loadFixtures } from './conformance/load-fixtures.js';
import { printReport } from './conformance/print-report.js';

const USAGE = `gatehouse adapter check <url> [--fixtures dir] [--provider-port n] [--second url] [--log file] [--timeout ms] [--json]

Checks a running adapter against the adapter contract. Exit code: 0 when nothing failed, 1 when a check failed, 2 when the
kit could not run. GATEHOUSE_ADAPTER_SECRET in the environment signs the calls.
`;

async function check(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      fixtures: { type: 'string' },
      'provider-port': { type: 'string' },
      second: { type: 'string' },
      log: { type: 'string' },
      timeout: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const [topic, action, url, ...rest] = positionals;
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (topic !== 'adapter' || action !== 'check' || url === undefined || rest.length > 0) {
    process.stderr.write(USAGE);
    return 2;
  }
  const { log, second } = values;
  const logs = log === undefined ? undefined : (): string => readFileSync(log, 'utf8');
  const instances = [url, ...(second === undefined ? [] : [second])].map(httpUrl);
  const timeoutMs = whole('--timeout', values.timeout);
  const providerPort = whole('--provider-port', values['provider-port']);
  const secret = (process.env.GATEHOUSE_ADAPTER_SECRET ?? '').split(',').filter((entry) => entry !== '');
  let started = 0;
  const report = await checkAdapter({
    fixtures: values.fixtures === undefined ? {} : loadFixtures(values.fixtures),
    start: () => ({ url: instances[Math.min(started++, instances.length - 1)] ?? url, ...(logs && { logs }) }),
    single: second === undefined,
    ...(secret.length > 0 && { secret }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(providerPort !== undefined && { providerPort }),
  });
  process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : printReport(report));
  return report.ok ? 0 : 1;
}

function httpUrl(text: string): string {
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? '')) throw new Error(`${text} is no http or https URL`);
  return text;
}

function whole(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name} must be a whole number`);
  return Number(text);
}

try {
  process.exitCode = await check(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`gatehouse: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
