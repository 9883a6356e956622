import { join } from 'node:path';
import { choosePorts } from '../launcher/ports.mjs';

/** Node's default. The others follow in the order of the services; .vscode/launch.json relies on that. */
export const FIRST_PORT = 9229;

/**
 * Assigns each process an inspector port: `--inspect`, or `--inspect=FIRST_PORT`.
 * @param {string[]} args
 * @param {string[]} processes
 * @param {string} dataDir
 * @returns {Promise<Record<string, number>>} empty without the option
 * @throws when a port is taken or is not valid
 */
export async function inspectorPorts(args, processes, dataDir) {
  const asked = args.find((arg) => /^--inspect(=|$)/.test(arg));
  if (asked === undefined) return {};
  const first = asked === '--inspect' ? FIRST_PORT : Number(asked.slice('--inspect='.length));
  if (!Number.isInteger(first) || first < 1024 || first + processes.length > 65_535) {
    throw new Error(
      `${asked} has no valid port: give the first of ${processes.length} ports, for example --inspect=${FIRST_PORT}`,
    );
  }
  const wanted = processes.map((name, index) => ({ name, asked: first + index, setting: asked }));
  return choosePorts(join(dataDir, 'inspector-ports.json'), wanted);
}
