import { exits, usageError } from '../api/cli-error.js';
import type { Command, Option } from '../call/command.js';
import { facts, table } from '../call/table.js';
import { type Batch, ended, followBatch, isBad, redriveWords } from './batch.js';
import { filter, paging, query } from './filters.js';

interface DeadLetter {
  id: string;
  at: string;
  app_id: string;
  receipt_id: string;
  stage: string;
  reason: string | null;
  error: string | null;
  state: string;
  outcome: string | null;
  redrive_error: string | null;
}

const letterFilter: Record<string, Option> = {
  app: { value: 'ID', help: 'Only of this App' },
  stage: { value: 'NAME', help: 'Only of this stage: `verified`, `parsed`, `routed`, `turn`, `delivery`' },
  reason: { value: 'CODE', help: 'Only with this reason code' },
  since: { value: 'TIME', help: 'Dead-lettered at this time or later: RFC 3339, or `30m`, `2h`, `7d` ago' },
  until: { value: 'TIME', help: 'Dead-lettered before this time' },
};
const fields = { app: 'app_id', stage: 'stage', reason: 'reason' };
const pathOf = (id = ''): string => `events/dead-letters/${encodeURIComponent(id)}`;

const list: Command = {
  name: 'dead-letters',
  summary: 'Lists dead letters, newest first',
  options: {
    ...letterFilter,
    state: { value: 'NAME', help: '`open`, `redriving`, `redriven` or `lost`' },
    ...paging,
  },
  scopes: '`events:read`',
  examples: ['gatehouse dead-letters --state open', 'gatehouse dead-letters --stage delivery --since 1d'],
  run: async (call) => {
    const asked = query(call, { ...fields, state: 'state' });
    const page = await call.api().get<{ data: DeadLetter[]; next_cursor: string | null }>('events/dead-letters', asked);
    call.print(page);
    const rows = page.data.map((one) => [
      one.at,
      one.id,
      one.stage,
      one.state,
      one.receipt_id,
      one.reason,
      one.error?.slice(0, 80),
    ]);
    for (const line of table(['DIED', 'ID', 'STAGE', 'STATE', 'EVENT', 'REASON', 'ERROR'], rows)) call.say(line);
    if (page.next_cursor) call.note(`Next page: --cursor ${page.next_cursor}`);
    return exits.done;
  },
};

const show: Command = {
  name: 'dead-letters show',
  arguments: '<id>',
  summary: 'Shows one dead letter and what its redrive led to',
  scopes: '`events:read`',
  examples: ['gatehouse dead-letters show dlt_...'],
  run: async (call) => {
    const letter = await call.api().get<DeadLetter>(pathOf(call.arguments[0]));
    call.print(letter);
    for (const line of shown(letter)) call.say(line);
    return exits.done;
  },
};

const redrive: Command = {
  name: 'dead-letters redrive',
  arguments: '[id]',
  summary: 'Redrives a dead letter (sends it through the pipeline once more), or all open ones that match a filter',
  options: {
    all: { help: 'All open ones that match the filter, as one batch; the command waits for it' },
    ...letterFilter,
  },
  scopes: '`events:write`',
  notes: [
    'Fix the cause first: what fails again becomes a new dead letter.',
    'A reply goes to the reply address, adapter and credentials that its App has now.',
    'Waits up to a minute until it is known what became of it. Exit code 1: something failed, or is dead again.',
  ],
  examples: [
    'gatehouse dead-letters redrive dlt_...',
    'gatehouse dead-letters redrive --all --reason contract_violation',
  ],
  run: async (call) => {
    const api = call.api();
    const [id] = call.arguments;
    const chosen = filter(call, fields);
    const name = 'gatehouse dead-letters redrive';
    if ((id === undefined) !== call.flag('all')) throw usageError('Give the id of a dead letter, or --all.', name);
    if (id === undefined) return followBatch(call, api, await api.post<Batch>('events/dead-letters/redrive', chosen));
    if (Object.keys(chosen).length > 0) throw usageError('A filter needs --all.', name);
    const letter = await ended(
      await api.post<DeadLetter>(`${pathOf(id)}/redrive`),
      () => api.get<DeadLetter>(pathOf(id)),
      ({ state, redrive_error: blocked }) => state === 'redriving' && blocked === null,
    );
    call.print(letter);
    for (const line of shown(letter)) call.say(line);
    const became = letter.outcome ?? letter.state;
    call.say(`What became of it: ${redriveWords(became)}.`);
    return isBad(became) ? exits.unwell : exits.done;
  },
};

const shown = (letter: DeadLetter): string[] =>
  facts([
    ['Dead letter', letter.id],
    ['Event', letter.receipt_id],
    ['Died', `${letter.at} in ${letter.stage}`],
    ['Reason', letter.reason],
    ['Error', letter.error],
    ['State', letter.state],
    ['Outcome', letter.outcome],
    ['Blocked by', letter.redrive_error],
  ]);

export const deadLetterCommands = [list, show, redrive];
