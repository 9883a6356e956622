import { checkRunningAdapter, printReport } from '#libs/adapter-sdk';
import { exits, usageError } from '../api/cli-error.js';
import type { Command } from '../call/command.js';

export const adapterCheck: Command = {
  name: 'adapter check',
  arguments: '<url>',
  summary: 'Checks a running adapter against the fifteen points of the contract',
  options: {
    fixtures: { value: 'DIR', help: 'Folder with `conformance.json`; without it only checks that need no fixture run' },
    'provider-port': { value: 'N', help: 'Port on 127.0.0.1 for the fake provider of the kit' },
    second: { value: 'URL', help: 'A second instance of the same build, for point 12' },
    log: { value: 'FILE', help: 'Log of the adapter, for point 13' },
    timeout: { value: 'MS', help: 'Longest wait for one answer (20000)' },
  },
  notes: ['`GATEHOUSE_ADAPTER_SECRET` signs the calls.', 'Exit code 1: a check failed.'],
  examples: ['gatehouse adapter check http://127.0.0.1:8080/acme --fixtures ./conformance --provider-port 9099'],
  run: async (call) => {
    const report = await checkRunningAdapter({
      url: call.arguments[0] ?? '',
      fixtures: call.value('fixtures'),
      providerPort: call.value('provider-port'),
      second: call.value('second'),
      log: call.value('log'),
      timeoutMs: call.value('timeout'),
      secrets: call.env['GATEHOUSE_ADAPTER_SECRET'],
    }).catch((error: unknown) => {
      throw usageError(error instanceof Error ? error.message : String(error), 'gatehouse adapter check');
    });
    call.print(report);
    call.say(printReport(report).trimEnd());
    return report.ok ? exits.done : exits.unwell;
  },
};
