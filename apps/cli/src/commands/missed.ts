import { exits, usageError } from '../api/cli-error.js';
import type { Command } from '../call/command.js';
import { facts, table } from '../call/table.js';
import { filter, paging, query } from './filters.js';

interface Refusal {
  id: string;
  at: string;
  app_id: string;
  code: string;
  method: string;
  remote_address: string;
  delivery_id: string | null;
  times: number;
  event_id: string | null;
}

const list: Command = {
  name: 'missed',
  summary: 'Lists webhooks that were refused, newest first: who sent them, why, and the event that each became later',
  options: {
    app: { value: 'ID', help: 'Only of this App' },
    returned: { value: 'true|false', help: 'Only those that came again, or only those that did not' },
    ...paging,
  },
  scopes: '`events:read`',
  notes: [
    'CAME BACK names the event of the same delivery. A sender that names no delivery is recognised by the same body.',
    'TIMES: requests over a limit are one row with their number.',
  ],
  examples: ['gatehouse missed --returned false', "gatehouse missed --json | jq '.data[].delivery_id'"],
  run: async (call) => {
    const asked = query(call, { app: 'app_id', returned: 'returned' });
    const page = await call.api().get<{ data: Refusal[]; next_cursor: string | null }>('refusals', asked);
    call.print(page);
    const rows = page.data.map((one) => [
      one.at,
      one.app_id,
      one.code,
      one.remote_address,
      one.delivery_id,
      String(one.times),
      one.event_id ?? 'no',
    ]);
    const head = ['REFUSED', 'APP', 'REASON', 'SENDER', 'DELIVERY', 'TIMES', 'CAME BACK'];
    for (const line of table(head, rows)) call.say(line);
    if (page.next_cursor) call.note(`Next page: --cursor ${page.next_cursor}`);
    return exits.done;
  },
};

interface Ask {
  app_id: string;
  state: string;
  since: string;
  until: string;
  due_at: string;
  redeliveries: number;
  stored: number;
  reason: string | null;
  detail: string | null;
}

const ask: Command = {
  name: 'missed ask',
  arguments: '<app>',
  summary: "Asks an App's provider for what it could not deliver, or shows what came of that",
  options: {
    since: { value: 'TIME', help: 'Asks: RFC 3339, or `30m`, `2h`, `7d` ago. Without it, shows the last time' },
  },
  scopes: '`apps:read`, and `apps:write` to ask',
  notes: [
    'After an outage of its own the platform asks by itself. Ask where it could not know: the way to it was cut.',
    'What has arrived is not stored twice. Exit code 1: the provider was not asked.',
  ],
  examples: ['gatehouse missed ask app_...', 'gatehouse missed ask app_... --since 2h'],
  run: async (call) => {
    const [id] = call.arguments;
    if (id === undefined) throw usageError('Give the id of an App.', 'gatehouse missed ask');
    const path = `apps/${encodeURIComponent(id)}/missed`;
    const body = filter(call, {});
    const row = body.since === undefined ? await call.api().get<Ask>(path) : await call.api().post<Ask>(path, body);
    call.print(row);
    const lines = facts([
      ['App', row.app_id],
      ['Missed', `${row.since} to ${row.until}`],
      ['State', row.state === 'queued' ? `queued, due ${row.due_at}` : row.state],
      ['Redeliveries', String(row.redeliveries)],
      ['Fetched', String(row.stored)],
      ['Reason', row.reason],
      ['Detail', row.detail],
    ]);
    for (const line of lines) call.say(line);
    return row.state === 'dead' ? exits.unwell : exits.done;
  },
};

export const missedCommands = [list, ask];
