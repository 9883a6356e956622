import { setTimeout as pause } from 'node:timers/promises';
import { type Api, openApi } from '../api/api.js';
import { CliError, exits, usageError } from '../api/cli-error.js';
import type { Call } from '../call/command.js';
import type { Move } from './move-report.js';

/** Between questions of how far something is, and when a command asks no longer. */
export const everyMs = 1_000;
export const patienceMs = 600_000;

const target = 'GATEHOUSE_TARGET_API_KEY';

export const to = { value: 'URL', help: `Address of the other installation; its admin key is in ${target}` };
export const scopes = '`admin`, of a key of another project of the organization, and `admin` at the other installation';

export const pathOf = (id: string): string => `moves/${encodeURIComponent(id)}`;

export function projectOf(call: Call, where: string): string {
  const [id] = call.arguments;
  if (id === undefined) throw usageError('Give the id of a project.', where);
  return id;
}

export function sides(call: Call, where: string): [source: Api, target: Api, project: string] {
  const id = projectOf(call, where);
  const url = call.value('to');
  if (url === undefined) throw usageError('Give the address of the other installation: --to.', where);
  const key = call.env[target];
  if (!key) throw usageError(`Set ${target} to an admin key of the other installation.`, where);
  return [call.api(), openApi(url, null, { GATEHOUSE_API_KEY: key }), id];
}

/** A third installation could have it otherwise, and two would work on it. */
export function requirePeer({ project_id: id, state, peer }: Move, at: Api, other: Api, where: string): void {
  if (peer === other.origin) return;
  const toDo = `Give the address under which the move began, which is ${peer}.`;
  const is = `${id} is ${state} at ${at.origin}, and its other side is ${peer}, not ${other.origin}.`;
  throw new CliError(exits.refused, is, where, toDo, 'other_peer');
}

export function absent(error: unknown): null {
  if (error instanceof CliError && error.code === 'project_not_found') return null;
  throw error;
}

/** Codes of answers after which a deletion goes on when it is asked for again. */
const goesOn: ReadonlySet<string> = new Set([
  'still_deleting',
  'timed_out',
  'service_unavailable',
  'http_502',
  'http_503',
  'http_504',
]);

/** An installation deletes what it has of a project for some seconds a request. @throws CliError after ten minutes */
export async function untilDeleted<T>(call: Call, ask: () => Promise<T>): Promise<T> {
  for (let isReported = false, until = Date.now() + patienceMs; ; await pause(everyMs)) {
    try {
      return await ask();
    } catch (error) {
      const isLeft = error instanceof CliError && goesOn.has(error.code);
      if (!isLeft || Date.now() > until) throw error;
      if (!isReported) call.note('Waits until the rows that are there are deleted.');
      isReported = true;
    }
  }
}
