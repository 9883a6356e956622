import { CliError, exits } from '../api/cli-error.js';
import type { Call, Command, Option } from '../call/command.js';
import { facts, table } from '../call/table.js';
import { paging, query } from './filters.js';

interface Listed {
  id: string;
  received_at: string;
  outcome: string | null;
  state: string;
  why: string;
  sender?: string;
  text?: string;
}
interface Detail extends Listed {
  app_id: string | null;
  timeline: {
    at: string;
    service: string;
    stage: string;
    outcome: string;
    reason: string | null;
    attempt: number;
    duration_ms: number | null;
    detail: Record<string, unknown> | null;
  }[];
  turns: { id: string }[];
}

/** Options by which lists and replays select events. */
export const eventFilter: Record<string, Option> = {
  app: { value: 'ID', help: 'Only of this App' },
  outcome: { value: 'NAME', help: 'Only with this outcome (`routed`, `dead`, `no_match`, ...); `open`: not ended yet' },
  result: {
    value: 'NAME',
    help: 'Only with this result of turn or delivery (`failed`, `undelivered`, `waiting`, `delivered`, ...)',
  },
  sender: { value: 'TEXT', help: 'Only from this sender' },
  text: { value: 'TEXT', help: 'Only with this in the text' },
  since: { value: 'TIME', help: 'Received at this time or later: RFC 3339, or `30m`, `2h`, `7d` ago' },
  until: { value: 'TIME', help: 'Received before this time' },
};
export const eventFields = { app: 'app_id', outcome: 'outcome', result: 'result', sender: 'sender', text: 'text' };

const list: Command = {
  name: 'events',
  summary: 'Lists events and their results, newest first',
  options: { ...eventFilter, ...paging },
  scopes: '`events:read`',
  examples: ['gatehouse events --since 2h --outcome dead', 'gatehouse events --app app_... --limit 50 --json'],
  run: async (call) => {
    const page = await call
      .api()
      .get<{ data: Listed[]; next_cursor: string | null }>('events', query(call, eventFields));
    call.print(page);
    const rows = page.data.map(({ id, received_at: at, state, why, sender, text }) => [
      at,
      id,
      state,
      why.slice(0, 60),
      sender,
      text?.slice(0, 60),
    ]);
    for (const line of table(['RECEIVED', 'ID', 'STATE', 'WHY', 'SENDER', 'TEXT'], rows)) call.say(line);
    if (page.next_cursor) call.note(`Next page: --cursor ${page.next_cursor}`);
    return exits.done;
  },
};

/** What the agents answered; a key without `agents:read` is not shown it. */
async function repliesOf(call: Call, { turns }: Detail): Promise<[string, string][]> {
  const replies: [string, string][] = [];
  for (const { id } of turns) {
    try {
      const { reply_text: text } = await call.api().get<{ reply_text: string | null }>(`turns/${id}`);
      if (text) replies.push(['Reply', text]);
    } catch (error) {
      if (!(error instanceof CliError) || error.exit !== exits.refused) throw error;
    }
  }
  return replies;
}

/** Tools that turns did not have because of the event's sender, which a reply may lack. */
function withheldIn({ timeline }: Detail): [string, string][] {
  return timeline.flatMap(({ stage, detail }) => {
    const { withheld, withheld_since: why } = detail ?? {};
    if (stage !== 'turn' || !Array.isArray(withheld) || withheld.length === 0) return [];
    return [['Withheld', `${withheld.join(', ')}: ${String(why)}`]];
  });
}

const show: Command = {
  name: 'events show',
  arguments: '<event-id>',
  summary: 'Shows one event: why it ended as it did, the replies, and its timeline',
  scopes: '`events:read`; replies need `agents:read`',
  examples: ['gatehouse events show evt_...'],
  run: async (call) => {
    const event = await call.api().get<Detail>(`events/${encodeURIComponent(call.arguments[0] ?? '')}`);
    call.print(event);
    const about = facts([
      ['Event', event.id],
      ['App', event.app_id],
      ['Outcome', event.outcome ?? 'open'],
      ['State', event.state],
      ['Why', event.why],
    ]);
    const more = call.json ? [] : [...(await repliesOf(call, event)), ...withheldIn(event)];
    for (const line of [...about, ...facts(more)]) call.say(line);
    call.say('');
    const rows = event.timeline.map(({ at, service, stage, outcome, attempt, duration_ms: ms, reason }) => [
      at,
      service,
      stage,
      outcome,
      attempt,
      ms === null ? null : `${Math.round(ms)} ms`,
      reason,
    ]);
    for (const line of table(['AT', 'SERVICE', 'STAGE', 'OUTCOME', 'ATTEMPT', 'TOOK', 'REASON'], rows)) call.say(line);
    return exits.done;
  },
};

export const eventCommands = [list, show];
