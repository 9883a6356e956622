import { join } from 'node:path';
import { choosePorts } from '../launcher/ports.mjs';

/** Node's own. The rest follow in the services' order, which .vscode/launch.json counts on. */
export const FIRST_PORT = 9229;

/**
 * A port of an inspector for each process: `--inspect`, or `--inspect=FIRST_PORT`.
 * @param {string[]} args
 * @param {string[]} processes
 * @param {string} dataDir
 * @returns {Promise<Record<string, number>>} none where nobody asked
 * @throws when a port is taken, or is none
 */
export async function inspectorPorts(args, processes, dataDir) {
  const asked = args.find((arg) => /^--inspect(=|$)/.test(arg));
  if (asked === undefined) return {};
  const first = asked === '--inspect' ? FIRST_PORT : Number(asked.slice('--inspect='.length));
  if (!Number.isInteger(first) || first < 1024 || first + processes.length > 65_535) {
    throw new Error(`${asked} names no port: say the first of ${processes.length}, as --inspect=${FIRST_PORT}`);
  }
  const wanted = processes.map((name, index) => ({ name, asked: first + index, setting: asked }));
  return choosePorts(join(dataDir, 'inspector-ports.json'), wanted);
}
