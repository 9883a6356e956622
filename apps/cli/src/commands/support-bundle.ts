import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { aboutThisMachine, fromApi, fromInstallation } from '../bundle/collect.js';
import { knownSecrets, redactor } from '../bundle/redact.js';
import { tarball } from '../bundle/tar.js';
import { CliError, exits } from '../api/cli-error.js';
import type { Command } from '../call/command.js';
import { examine } from './doctor.js';

export const supportBundle: Command = {
  name: 'support-bundle',
  summary: 'Collects diagnostic data into one archive, without secrets',
  options: { out: { value: 'FILE', help: 'The file. Default: gatehouse-support-<time>.tar.gz' } },
  scopes: '`admin`; with fewer scopes the archive has only what the key may read',
  notes: [
    'It contains the findings of `doctor`, states, counts, and the newest events, dead letters, deliveries and refusals by id and code; with `npm start` also the ends of logs, and metrics.',
    'It leaves out texts, senders and bodies of messages, credentials and webhook URLs. Check it before you pass it on.',
  ],
  examples: ['gatehouse support-bundle --out /tmp/bundle.tar.gz'],
  run: async (call) => {
    const at = new Date();
    const files = new Map([['machine.json', aboutThisMachine(at)]]);
    files.set('doctor.json', JSON.stringify(await examine(call), null, 2));
    const add = (more: Map<string, string>): void => more.forEach((text, name) => files.set(name, text));
    try {
      add(await fromApi(call.api()));
    } catch (error) {
      // Without a key, the machine's logs can still be collected.
      if (!(error instanceof CliError) || !call.installation) throw error;
    }
    if (call.installation) add(await fromInstallation(call.installation));
    const redact = redactor(knownSecrets(call.installation?.dataDir, call.env));
    const cleaned = new Map([...files].map(([name, text]) => [name, redact(text)]));
    const out = resolve(call.value('out') ?? `gatehouse-support-${at.toISOString().replaceAll(/[:.]/g, '-')}.tar.gz`);
    writeFileSync(out, tarball(cleaned, at), { mode: 0o600 });
    call.tell({ file: out, files: [...cleaned.keys()] });
    for (const name of cleaned.keys()) call.note(`  ${name}`);
    call.say(out);
    return exits.done;
  },
};
