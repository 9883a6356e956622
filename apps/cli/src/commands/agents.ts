import { exits } from '../api/cli-error.js';
import type { Command } from '../call/command.js';
import { table } from '../call/table.js';
import { paging, query } from './filters.js';

interface Version {
  version: number;
  state: string;
  changed: string[];
  note: string;
  made_by: string | null;
  created_at: string;
  promoted_by: string | null;
}

interface Difference {
  field: string;
  before: unknown;
  after: unknown;
}

const pathOf = (id = '', ...rest: string[]): string => ['agents', id, ...rest].map(encodeURIComponent).join('/');

const versions: Command = {
  name: 'agents versions',
  arguments: '<id>',
  summary: 'Lists the versions of an agent, newest first',
  options: paging,
  scopes: '`agents:read`',
  examples: ['gatehouse agents versions agt_...'],
  run: async (call) => {
    const page = await call
      .api()
      .get<{ data: Version[]; next_cursor: string | null }>(pathOf(call.arguments[0], 'versions'), query(call, {}));
    call.print(page);
    const rows = page.data.map((one) => [
      String(one.version),
      one.state,
      one.created_at,
      one.made_by,
      one.promoted_by,
      one.changed.join(', '),
      one.note,
    ]);
    for (const line of table(['VERSION', 'STATE', 'MADE', 'BY', 'IN FORCE BY', 'CHANGED', 'WHY'], rows)) call.say(line);
    if (page.next_cursor) call.note(`Next page: --cursor ${page.next_cursor}`);
    return exits.done;
  },
};

const diff: Command = {
  name: 'agents diff',
  arguments: '<id> <version>',
  summary: 'Shows what differs between a version of an agent and the one in force',
  options: { with: { value: 'VERSION', help: 'Compare with this version instead' } },
  scopes: '`agents:read`',
  notes: ['Exit code 1: they differ.'],
  examples: ['gatehouse agents diff agt_... 7', 'gatehouse agents diff agt_... 7 --with 5'],
  run: async (call) => {
    const [id, version = ''] = call.arguments;
    const path = pathOf(id, 'versions', version, 'differences');
    const found = await call.api().get<{ differences: Difference[] }>(path, { with: call.value('with') });
    call.print(found);
    for (const { field, before, after } of found.differences) {
      call.say(field);
      for (const line of linesOf(before)) call.say(`- ${line}`);
      for (const line of linesOf(after)) call.say(`+ ${line}`);
    }
    return found.differences.length === 0 ? exits.done : exits.unwell;
  },
};

const promote: Command = {
  name: 'agents promote',
  arguments: '<id> <version>',
  summary: 'Puts a version of an agent in force: a draft, or an earlier one to roll back',
  options: { note: { value: 'TEXT', help: 'Why, for the list of versions' } },
  scopes: '`agents:write`; for more powers `approvals:manage` too',
  examples: ['gatehouse agents promote agt_... 7 --note "Answers in two sentences"'],
  run: async (call) => {
    const [id, version = ''] = call.arguments;
    const note = call.value('note');
    const body = note === undefined ? {} : { note };
    const agent = await call
      .api()
      .post<{ name: string; version: number }>(pathOf(id, 'versions', version, 'promote'), body);
    call.print(agent);
    call.say(`${agent.name}: version ${agent.version} is in force`);
    return exits.done;
  },
};

function linesOf(value: unknown): string[] {
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).split('\n');
}

export const agentCommands = [versions, diff, promote];
