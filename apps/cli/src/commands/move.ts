import { setTimeout as pause } from 'node:timers/promises';
import type { Api } from '../api/api.js';
import { CliError, exits } from '../api/cli-error.js';
import type { Call, Command } from '../call/command.js';
import { table } from '../call/table.js';
import { arrivalOf, holdPlace, requireTaken, whyNotTaken } from './move-arrival.js';
import { moveEnd } from './move-end.js';
import { type Build, compareRows, describeMove, hasLeft, type Move, rowsOf } from './move-report.js';
import {
  absent,
  everyMs,
  pathOf,
  patienceMs,
  projectOf,
  requirePeer,
  scopes,
  sides,
  to,
  untilDeleted,
} from './move-sides.js';

/** By then another command has stored the two pages that it had read before an abort, and reads no more. */
const inHandsMs = 5_000;

interface ArrivalKey {
  public_key: object;
  thumbprint: string;
  key_id: string | null;
  accepts: string[];
  shapes: Record<string, string>;
  builds: Build[];
}

interface Rows {
  columns: string[];
  rows: (string | null)[][];
  next: string | null;
}

const move: Command = {
  name: 'move',
  arguments: '<project>',
  summary: 'Moves a project to another installation, with all of its rows and secrets, while its webhooks keep coming',
  options: { to, check: { help: 'Shows what would move and what would stay, and changes nothing' } },
  scopes,
  notes: [
    'Meanwhile its webhooks are taken and wait, and its keys are refused. After the switch, webhooks that still come here are handed on.',
    'What waits there (schedules, approvals, waits for events, deliveries) goes on at the other installation.',
    'Started again, it goes on where it was. Until the switch, `gatehouse move abort` undoes it.',
    'Back to an installation that it has left, it moves once `gatehouse move end` was made there: what it had left is deleted first.',
  ],
  examples: [
    'GATEHOUSE_TARGET_API_KEY=gh_... gatehouse move prj_... --to https://cell-2.example --check',
    'GATEHOUSE_TARGET_API_KEY=gh_... gatehouse move prj_... --to https://cell-2.example',
  ],
  run: async (call) => {
    const [source, there, id] = sides(call, 'gatehouse move');
    const found = await source.get<Move>(pathOf(id));
    const key = await there.get<ArrivalKey>('moves/key');
    if (call.flag('check')) {
      return check(call, found, key, hasLeft(found) ? [] : await whyNotTaken(found, source, there));
    }
    if (found.state !== 'here') requirePeer(found, source, there, 'gatehouse move');
    refuseAborting(found);
    if (!hasLeft(found)) {
      // Once it has left, only the switch there is to come, whatever has changed since.
      refuseDifferent(found, key);
      await requireTaken(found, source, there);
      await holdPlace(call, await source.post<Move>('moves', { project_id: id, to: there.origin }), source, there);
      const resting = await untilAtRest(call, source, id);
      await copy(call, source, there, resting, key);
      const [copied, arriving] = [await source.get<Move>(pathOf(id)), await there.get<Move>(pathOf(id))];
      requirePeer(copied, source, there, 'gatehouse move');
      requirePeer(arriving, there, source, 'gatehouse move');
      refuseOpen(copied);
      compareRows(resting, copied, arriving);
      await source.post(`${pathOf(id)}/switch`);
    }
    const arrived = await there.get<Move>(pathOf(id));
    if (arrived.state === 'arriving') {
      requirePeer(arrived, there, source, 'gatehouse move');
      // Said again: a move that began with an earlier release has not given the key for handing on.
      await there.post('moves/arrivals', arrivalOf(await source.get<Move>(pathOf(id)), source));
      await there.post(`${pathOf(id)}/switch`);
    }
    const ended = await there.get<Move>(pathOf(id));
    call.print(ended);
    call.say(
      `${id} is open at ${there.origin}, with ${rowsOf(ended)} rows. Webhooks that still come here are handed on.`,
    );
    return exits.done;
  },
};

const status: Command = {
  name: 'move status',
  arguments: '<project>',
  summary: 'Shows how far a project has moved, and what has to end before it is copied',
  scopes: '`admin`',
  examples: ['gatehouse move status prj_...'],
  run: async (call) => {
    const found = await call.api().get<Move>(pathOf(projectOf(call, 'gatehouse move status')));
    call.print(found);
    for (const line of describeMove(found)) call.say(line);
    return exits.done;
  },
};

const abort: Command = {
  name: 'move abort',
  arguments: '<project>',
  summary: 'Aborts a move before its switch: deletes what has arrived, and lets the project go on here',
  options: { to },
  scopes,
  notes: ['Webhooks that came meanwhile are handled here. A project that was closed before stays closed.'],
  examples: ['GATEHOUSE_TARGET_API_KEY=gh_... gatehouse move abort prj_... --to https://cell-2.example'],
  run: async (call) => {
    const [source, there, id] = sides(call, 'gatehouse move abort');
    const before = await source.get<Move>(pathOf(id));
    const { state } = before;
    if (hasLeft(before)) {
      const toDo =
        'It cannot be undone. Move it back from there, once `gatehouse move end` has ended the handing on from here.';
      throw new CliError(
        exits.refused,
        `${id} has left: ${before.peer} works on it.`,
        'gatehouse move abort',
        toDo,
        'left',
      );
    }
    const arrivedAt = () => there.get<Move>(pathOf(id)).catch(absent);
    const present = await arrivedAt();
    if (state !== 'here') requirePeer(before, source, there, 'gatehouse move abort');
    if (!present || hasLeft(present)) await requireAccepted(there, before);
    if (present?.state === 'arriving') requirePeer(present, there, source, 'gatehouse move abort');
    // First of all it can leave no more: another command may be at its switch.
    if (state === 'leaving') {
      await source.post(`${pathOf(id)}/abort`);
      await pause(inHandsMs);
    }
    // Then there: a project that goes on here must not be there, too. Nor come back there, where that is being prepared.
    const arrived = await arrivedAt();
    if (arrived?.state === 'arriving') requirePeer(arrived, there, source, 'gatehouse move abort');
    if (!arrived || arrived.state === 'arriving' || hasLeft(arrived)) {
      await untilDeleted(call, () => there.delete(pathOf(id)).catch(absent));
    }
    if (state !== 'here') await source.delete(pathOf(id));
    const found = await source.get<Move>(pathOf(id));
    call.print(found);
    call.say(`${id} is ${found.state}${found.closed ? ', and closed' : ''}.`);
    return exits.done;
  },
};

export const moveCommands = [move, status, moveEnd, abort];

/** Without that, what has arrived is not found with this key: the project would go on here, and stay there. */
async function requireAccepted(there: Api, { project_id: id, organization_id: organization }: Move): Promise<void> {
  const { accepts, key_id: key } = await there.get<ArrivalKey>('moves/key');
  if (accepts.includes(organization)) return;
  const is = `Whether ${id} has begun to arrive cannot be seen with this key.`;
  const toDo = `Set MOVE_ACCEPTS=${organization}=${key} of the portal there for as long as the move lasts.`;
  throw new CliError(exits.refused, is, 'gatehouse move abort', toDo, 'not_accepted');
}

function check(call: Call, found: Move, key: ArrivalKey, refused: string[]): number {
  call.print({ ...found, target: key });
  for (const line of describeMove(found)) call.say(line);
  for (const line of table(
    ['STAYS', 'WHY'],
    found.stays.map(({ table: name, why }) => [name, why]),
  ))
    call.say(line);
  const wrong = [...differences(found, key), ...refused];
  call.say(`Seal for: MOVE_TARGET_KEYS=${key.thumbprint} (of the credential-vault here)`);
  for (const line of wrong) call.say(line);
  return wrong.length > 0 ? exits.unwell : exits.done;
}

function differences({ shapes, builds, organization_id: id }: Move, key: ArrivalKey): string[] {
  const services = Object.keys(shapes).filter((service) => key.shapes[service] !== shapes[service]);
  return [
    ...updating('Here', builds),
    ...updating('There', key.builds),
    ...(services.length > 0 ? [`The releases differ: other tables in ${services.join(', ')}.`] : []),
    ...(key.accepts.includes(id)
      ? []
      : [`The other installation does not accept ${id}: MOVE_ACCEPTS=${id}=${key.key_id} (of its portal)`]),
  ];
}

/** An installation of a release before this one says nothing of it. */
function updating(where: string, builds: Build[] = []): string[] {
  if (builds.length < 2) return [];
  const which = builds.map(({ build, services }) => `${build} (${services.join(', ')})`).join(' and ');
  return [`${where} an update is on: processes of ${which} run. Wait until it is over.`];
}

function refuseDifferent(found: Move, key: ArrivalKey): void {
  const [wrong] = differences(found, key);
  const toDo = 'gatehouse move --check shows the whole.';
  if (wrong !== undefined) throw new CliError(exits.refused, wrong, 'gatehouse move', toDo, 'not_alike');
}

function refuseAborting({ project_id: id, state, peer }: Move): void {
  if (state !== 'aborting') return;
  const toDo = `Start the abort again, with --to ${peer}; then move again.`;
  throw new CliError(exits.refused, `The move of ${id} is being aborted.`, 'gatehouse move', toDo, 'aborting');
}

/** What has ended since the copy may not be there. */
function refuseOpen({ open }: Move): void {
  if (open.length === 0) return;
  const what = open.map(({ what: name, count }) => `${count} ${name}`).join(', ');
  const toDo = 'Start the move again: it waits for that, and copies anew. Nothing has been switched.';
  throw new CliError(exits.unwell, `Open since the copy: ${what}.`, 'gatehouse move', toDo, 'not_at_rest');
}

async function untilAtRest(call: Call, source: Api, id: string): Promise<Move> {
  for (let reported = '', until = Date.now() + patienceMs; ; await pause(everyMs)) {
    const found = await source.get<Move>(pathOf(id));
    if (found.settled && found.open.length === 0) return found;
    const open = found.open.map(({ what, count }) => `${count} ${what}`).join(', ');
    const waits = open || 'every process to hear of it';
    if (waits !== reported) call.note(`Waits for ${waits}.`);
    reported = waits;
    if (Date.now() < until) continue;
    const toDo = 'Find out what holds them up. The move goes on when it is started again; move abort undoes it.';
    throw new CliError(exits.unwell, `Still open: ${waits}.`, 'gatehouse move', toDo, 'not_at_rest');
  }
}

async function copy(call: Call, source: Api, there: Api, found: Move, key: ArrivalKey): Promise<void> {
  const all = rowsOf(found);
  let copied = 0;
  for (const { service, table: name, rows, last: upto } of found.tables) {
    const read = (after: string | null): Promise<Rows> =>
      source.post(`${pathOf(found.project_id)}/pages`, {
        service,
        table: name,
        after,
        upto,
        recipient: key.public_key,
      });
    const store = ({ columns, rows: some }: Rows): Promise<unknown> =>
      there.post(`${pathOf(found.project_id)}/rows`, { service, table: name, columns, rows: some });
    // The next page is read while the one before is stored.
    for (let page = rows === 0 ? null : await read(null); page;) {
      const { next, rows: some } = page;
      copied += some.length;
      [page] = await Promise.all([next === null ? null : read(next), some.length > 0 ? store(page) : null]);
    }
    if (rows > 0) call.note(`${copied} of ${all} rows: ${name}`);
  }
}
