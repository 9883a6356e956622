import { exits } from '../api/cli-error.js';
import type { Command } from '../call/command.js';
import { table } from '../call/table.js';
import { paging, query } from './filters.js';

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
    call.tell(page);
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

export const missedCommands = [list];
