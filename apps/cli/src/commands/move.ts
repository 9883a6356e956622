import { setTimeout as pause } from 'node:timers/promises';
import { type Api, openApi } from '../api/api.js';
import { CliError, exits, usageError } from '../api/cli-error.js';
import type { Call, Command } from '../call/command.js';
import { table } from '../call/table.js';
import { compareRows, describeMove, type Move, rowsOf } from './move-report.js';

interface ArrivalKey {
  public_key: object;
  thumbprint: string;
  key_id: string | null;
  accepts: string[];
  shapes: Record<string, string>;
}

interface Rows {
  columns: string[];
  rows: (string | null)[][];
  next: string | null;
}

const everyMs = 1_000;
const restWithinMs = 600_000;
const target = 'GATEHOUSE_TARGET_API_KEY';

const to = { value: 'URL', help: `Address of the other installation; its admin key is in ${target}` };
const scopes = '`admin`, of a key of another project of the organization, and `admin` at the other installation';

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
  ],
  examples: [
    'GATEHOUSE_TARGET_API_KEY=gh_... gatehouse move prj_... --to https://cell-2.example --check',
    'GATEHOUSE_TARGET_API_KEY=gh_... gatehouse move prj_... --to https://cell-2.example',
  ],
  run: async (call) => {
    const [source, there, id] = sides(call, 'gatehouse move');
    const found = await source.get<Move>(pathOf(id));
    const key = await there.get<ArrivalKey>('moves/key');
    if (call.flag('check')) return check(call, found, key);
    if (found.state !== 'here') requirePeer(found, source, there, 'gatehouse move');
    if (found.state !== 'left') {
      // Once it has left, only the switch there is to come, whatever has changed since.
      refuseDifferent(found, key);
      const { hand_on_key } = await source.post<Move>('moves', { project_id: id, to: there.origin });
      const { organization_id, organization_name: name } = found;
      const arrival = { project_id: id, organization_id, organization_name: name ?? organization_id, hand_on_key };
      await there.post('moves/arrivals', { ...arrival, from: source.origin });
      const resting = await untilAtRest(call, source, id);
      await copy(call, source, there, resting, key);
      const [copied, arriving] = [await source.get<Move>(pathOf(id)), await there.get<Move>(pathOf(id))];
      requirePeer(copied, source, there, 'gatehouse move');
      requirePeer(arriving, there, source, 'gatehouse move');
      compareRows(resting, copied, arriving);
      await source.post(`${pathOf(id)}/switch`);
    }
    const arrived = await there.get<Move>(pathOf(id));
    if (arrived.state === 'arriving') {
      requirePeer(arrived, there, source, 'gatehouse move');
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
    if (state === 'left') {
      const toDo =
        'It cannot be undone, nor moved back to here. It can move on to an installation where it has never been.';
      throw new CliError(
        exits.refused,
        `${id} has left: ${before.peer} works on it.`,
        'gatehouse move abort',
        toDo,
        'left',
      );
    }
    // There first: a project that goes on here must not be there, too.
    const arrived = await there.get<Move>(pathOf(id)).catch(absent);
    if (state === 'leaving') requirePeer(before, source, there, 'gatehouse move abort');
    if (!arrived) await requireAccepted(there, before);
    if (arrived?.state === 'arriving') {
      requirePeer(arrived, there, source, 'gatehouse move abort');
      await there.delete(pathOf(id));
    }
    if (state === 'leaving') await source.delete(pathOf(id));
    const found = await source.get<Move>(pathOf(id));
    call.print(found);
    call.say(`${id} is ${found.state}${found.closed ? ', and closed' : ''}.`);
    return exits.done;
  },
};

const end: Command = {
  name: 'move end',
  arguments: '<project>',
  summary: 'Ends the handing on of webhooks of a project that has moved: from then on they answer 410 here',
  options: { to },
  scopes,
  notes: [
    '`gatehouse move status` says when the last webhook came here. While some wait to be handed on, it is refused.',
    'The key with which this installation handed them on is forgotten at the other one.',
  ],
  examples: ['GATEHOUSE_TARGET_API_KEY=gh_... gatehouse move end prj_... --to https://cell-2.example'],
  run: async (call) => {
    const [source, there, id] = sides(call, 'gatehouse move end');
    requirePeer(await source.get<Move>(pathOf(id)), source, there, 'gatehouse move end');
    const ended = await source.post<Move>(`${pathOf(id)}/end`);
    await there.delete(`${pathOf(id)}/peer`).catch(absent);
    call.print(ended);
    call.say(`Webhooks of ${id} are answered 410 here.`);
    return exits.done;
  },
};

export const moveCommands = [move, status, end, abort];

const pathOf = (id: string): string => `moves/${encodeURIComponent(id)}`;

function projectOf(call: Call, where: string): string {
  const [id] = call.arguments;
  if (id === undefined) throw usageError('Give the id of a project.', where);
  return id;
}

function sides(call: Call, where: string): [source: Api, target: Api, project: string] {
  const id = projectOf(call, where);
  const url = call.value('to');
  if (url === undefined) throw usageError('Give the address of the other installation: --to.', where);
  const key = call.env[target];
  if (!key) throw usageError(`Set ${target} to an admin key of the other installation.`, where);
  return [call.api(), openApi(url, null, { GATEHOUSE_API_KEY: key }), id];
}

/** A third installation could have it otherwise, and two would work on it. */
function requirePeer({ project_id: id, state, peer }: Move, at: Api, other: Api, where: string): void {
  if (peer === other.origin) return;
  const toDo = `Give the address under which the move began, which is ${peer}.`;
  const is = `${id} is ${state} at ${at.origin}, and its other side is ${peer}, not ${other.origin}.`;
  throw new CliError(exits.refused, is, where, toDo, 'other_peer');
}

/** Without that, what has arrived is not found with this key: the project would go on here, and stay there. */
async function requireAccepted(there: Api, { project_id: id, organization_id: organization }: Move): Promise<void> {
  const { accepts, key_id: key } = await there.get<ArrivalKey>('moves/key');
  if (accepts.includes(organization)) return;
  const is = `Whether ${id} has begun to arrive cannot be seen with this key.`;
  const toDo = `Set MOVE_ACCEPTS=${organization}=${key} of the portal there for as long as the move lasts.`;
  throw new CliError(exits.refused, is, 'gatehouse move abort', toDo, 'not_accepted');
}

function absent(error: unknown): null {
  if (error instanceof CliError && error.code === 'project_not_found') return null;
  throw error;
}

function check(call: Call, found: Move, key: ArrivalKey): number {
  call.print({ ...found, target: key });
  for (const line of describeMove(found)) call.say(line);
  for (const line of table(
    ['STAYS', 'WHY'],
    found.stays.map(({ table: name, why }) => [name, why]),
  ))
    call.say(line);
  const wrong = differences(found, key);
  call.say(`Seal for: MOVE_TARGET_KEYS=${key.thumbprint} (of the credential-vault here)`);
  for (const line of wrong) call.say(line);
  return wrong.length > 0 ? exits.unwell : exits.done;
}

function differences({ shapes, organization_id: id }: Move, key: ArrivalKey): string[] {
  const services = Object.keys(shapes).filter((service) => key.shapes[service] !== shapes[service]);
  return [
    ...(services.length > 0 ? [`The releases differ: other tables in ${services.join(', ')}.`] : []),
    ...(key.accepts.includes(id)
      ? []
      : [`The other installation does not accept ${id}: MOVE_ACCEPTS=${id}=${key.key_id} (of its portal)`]),
  ];
}

function refuseDifferent(found: Move, key: ArrivalKey): void {
  const [wrong] = differences(found, key);
  const toDo = 'gatehouse move --check shows the whole.';
  if (wrong !== undefined) throw new CliError(exits.refused, wrong, 'gatehouse move', toDo, 'not_alike');
}

async function untilAtRest(call: Call, source: Api, id: string): Promise<Move> {
  for (let reported = '', until = Date.now() + restWithinMs; ; await pause(everyMs)) {
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
  for (const { service, table: name, rows } of found.tables) {
    let after: string | null = rows === 0 ? null : '';
    for (; after !== null;) {
      const asked = { service, table: name, after: after || null, recipient: key.public_key };
      const page: Rows = await source.post<Rows>(`${pathOf(found.project_id)}/pages`, asked);
      const { columns, rows: some } = page;
      if (some.length > 0)
        await there.post(`${pathOf(found.project_id)}/rows`, { service, table: name, columns, rows: some });
      copied += some.length;
      after = page.next;
    }
    if (rows > 0) call.note(`${copied} of ${all} rows: ${name}`);
  }
}
