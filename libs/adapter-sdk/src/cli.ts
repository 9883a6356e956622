#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { checkRunningAdapter } from './conformance/check-running.js';
import { printReport } from './conformance/print-report.js';
import { terminalJson, terminalText } from './terminal-text.js';

/** For adapter authors, who have only the SDK; the platform's own CLI (apps/cli) has the same command. */
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
  const report = await checkRunningAdapter({
    url,
    ...values,
    providerPort: values['provider-port'],
    timeoutMs: values.timeout,
    secrets: process.env.GATEHOUSE_ADAPTER_SECRET,
  });
  process.stdout.write(values.json ? `${terminalJson(report)}\n` : printReport(report));
  return report.ok ? 0 : 1;
}

try {
  process.exitCode = await check(process.argv.slice(2));
} catch (error) {
  process.stderr.write(terminalText(`gatehouse: ${error instanceof Error ? error.message : String(error)}\n`));
  process.exitCode = 2;
}
