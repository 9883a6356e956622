import { exits, usageError } from '../api/cli-error.js';
import type { Command } from '../call/command.js';
import { type Batch, followBatch } from './batch.js';
import { eventFields, eventFilter } from './events.js';
import { filter } from './filters.js';

export const replay: Command = {
  name: 'replay',
  arguments: '[event-id]',
  summary: "Replays an event by today's rules, or all events that match a filter",
  options: {
    all: { help: 'All events that match the filter, newest first, as one batch; the command waits for it' },
    deliver: { help: 'Sends replies and makes all calls again. Without it the replay is a rehearsal' },
    ...eventFilter,
  },
  scopes: '`events:write`',
  notes: ['Exit code 1: some items of a batch failed.'],
  examples: ['gatehouse replay evt_...', 'gatehouse replay --all --since 1h --outcome no_match --deliver'],
  run: async (call) => {
    const api = call.api();
    const deliver = call.flag('deliver');
    const [id] = call.arguments;
    const chosen = filter(call, eventFields);
    if ((id === undefined) !== call.flag('all'))
      throw usageError('Give the id of an event, or --all with a filter.', 'gatehouse replay');
    if (id === undefined) return followBatch(call, api, await api.post<Batch>('events/replay', { ...chosen, deliver }));
    if (Object.keys(chosen).length > 0) throw usageError('A filter needs --all.', 'gatehouse replay');
    const replayed = await api.post<{ replayed: string; run_ids: string[] }>(
      `events/${encodeURIComponent(id)}/replay`,
      { deliver },
    );
    call.print(replayed);
    const { replayed: what, run_ids: runs } = replayed;
    call.say(
      what === 'receipt' ? 'The event goes through the whole pipeline again.' : 'Its messages were routed again.',
    );
    if (runs.length > 0) call.say(`Runs: ${runs.join(', ')}`);
    return exits.done;
  },
};
