import { accessSync, constants, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { aboutThisMachine, fromApi, fromInstallation } from '../bundle/collect.js';
import { knownSecrets, redactor } from '../bundle/redact.js';
import { tarball } from '../bundle/tar.js';
import { CliError, exits } from '../api/cli-error.js';
import type { Command } from '../call/command.js';
import { examine } from './doctor.js';

export const supportBundle: Command = {
  name: 'support-bundle',
  summary: 'Collects diagnostic data into one archive, without secrets',
  options: {
    out: {
      value: 'FILE',
      help: 'The file, or `-` for standard output. Default: gatehouse-support-<time>.tar.gz here, or in the temporary folder where this one cannot be written',
    },
  },
  scopes: '`admin`; with fewer scopes the archive has only what the key may read',
  notes: [
    'It contains the findings of `doctor`, states, counts, and the newest events, dead letters, deliveries and refusals by id and code; with `npm start` also the ends of logs, and metrics.',
    'It leaves out texts, senders and bodies of messages, credentials and webhook URLs. Check it before you pass it on.',
  ],
  examples: [
    'gatehouse support-bundle --out /tmp/bundle.tar.gz',
    'docker compose exec -T portal node dist/apps/cli/src/gatehouse.js support-bundle --out - >bundle.tar.gz',
    'kubectl exec -n gatehouse deploy/portal -c app -- node dist/apps/cli/src/gatehouse.js support-bundle --out - >bundle.tar.gz',
  ],
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
    const archive = tarball(cleaned, at);
    for (const name of cleaned.keys()) call.note(`  ${name}`);
    if (call.value('out') === '-') {
      process.stdout.write(archive);
      return exits.done;
    }
    const name = `gatehouse-support-${at.toISOString().replaceAll(/[:.]/g, '-')}.tar.gz`;
    const out = resolve(call.value('out') ?? join(isWritable('.') ? '.' : tmpdir(), name));
    write(out, archive);
    call.print({ file: out, files: [...cleaned.keys()] });
    call.say(out);
    return exits.done;
  },
};

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** @throws CliError `not_written` */
function write(file: string, archive: Uint8Array): void {
  try {
    writeFileSync(file, archive, { mode: 0o600 });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const toDo = 'Name a file that can be written, or send it to standard output: --out - >bundle.tar.gz';
    throw new CliError(exits.usage, `The archive cannot be written: ${why}`, '--out', toDo, 'not_written');
  }
}
