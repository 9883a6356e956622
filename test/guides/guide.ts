import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { System } from '../system/system.js';

const root = join(import.meta.dirname, '../..');

/** The commands of a page: its blocks of `sh`, in their order. @param page a guide, or its path from here */
export function commandsOf(page: string): string[] {
  const text = readFileSync(join(root, 'docs/guides', page), 'utf8');
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
}

/** What a person has who has cloned the repository and started it: the folder, and the installation's description. */
export interface Clone {
  folder: string;
  /** With what was made beside it. */
  remove(): void;
}

export function cloneOf(system: System): Clone {
  const clone = freshClone();
  const data = join(clone.folder, '.data');
  mkdirSync(data);
  const { apiKey: api_key, webhookUrl: webhook_url, appId: app_id } = system;
  const description = { base_url: system.origin('portal'), webhook_url, api_key, app_id };
  writeFileSync(join(data, 'gatehouse.json'), JSON.stringify(description));
  symlinkSync(join(system.dataDir, 'secrets.json'), join(data, 'secrets.json'));
  return clone;
}

/** A clone that was never started. */
export function freshClone(): Clone {
  const parent = mkdtempSync(join(tmpdir(), 'gatehouse-guide-'));
  const folder = join(parent, 'gatehouse');
  mkdirSync(folder);
  for (const name of readdirSync(root)) {
    if (!['.data', '.git'].includes(name)) symlinkSync(join(root, name), join(folder, name));
  }
  return { folder, remove: () => rmSync(parent, { recursive: true, force: true }) };
}

/**
 * Runs the blocks as one session of a shell, as a person pastes them, and ends what they leave running.
 * @returns what each block has printed
 * @throws with all that was printed, as soon as a command fails
 */
export function follow(clone: Clone, blocks: string[]): Promise<string[]> {
  const mark = '----- next block -----';
  const script = blocks.join(`\necho '${mark}'\n`);
  const shell = `set -eE -o pipefail\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n${script}`;
  const env = environmentIn(clone);
  return new Promise((resolve, reject) => {
    execFile('bash', ['-c', shell], { cwd: clone.folder, env, timeout: 240_000 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${error.message.slice(0, 200)}\n${stdout}\n${stderr}`));
      else resolve(stdout.split(mark).map((text) => text.trim()));
    });
  });
}

/** What a person's shell has set. */
export function environmentIn(clone: Clone): NodeJS.ProcessEnv {
  const path = `${join(process.execPath, '..')}:${process.env.PATH}`;
  // The scripts of the linked checkout would look beside themselves.
  return { ...process.env, PATH: path, GATEHOUSE_DATA_DIR: join(clone.folder, '.data') };
}

/** What a person does while a reply is not there yet: the page's last command once more. */
export function untilReply(block: string): string {
  const [show] = /^npx gatehouse events show "\$EVENT"/m.exec(block) ?? [];
  if (show === undefined) return block;
  const loop = `for _ in $(seq 1 600); do if ${show} | grep -q Reply; then break; fi; sleep 0.2; done`;
  return block.replace(show, () => `${loop}\n${show}`);
}
