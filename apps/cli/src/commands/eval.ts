import { problemOf } from '#libs/answer-rules';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Api } from '../api/api.js';
import { exits, usageError } from '../api/cli-error.js';
import type { Command } from '../call/command.js';
import { table } from '../call/table.js';
import { type Case, readCases } from './eval-rules.js';
import { casesOf } from './eval-set.js';

interface Turn {
  id: string;
  state: string;
  reply_text: string | null;
  reason_text: string | null;
  error: string | null;
  tokens: number;
  cost_micros: number;
}

interface Result {
  name: string;
  state: 'passed' | 'failed' | 'skipped';
  problems: string[];
  answer: string | null;
  trial_id: string | null;
  tokens: number;
  cost_micros: number;
  duration_ms: number;
}

const everyMs = 300;
const secondMs = 1_000;
const defaultSeconds = 300;
const ended = new Set(['succeeded', 'failed']);

export const evaluate: Command = {
  name: 'eval',
  arguments: '<agent> [file]',
  summary: 'Asks a version of an agent the messages of a file or a set, and checks its answers by the rules in it',
  options: {
    set: { value: 'NAME', help: 'In place of a file: a set of cases of the agent' },
    version: { value: 'VERSION', help: 'Of the agent, a draft too. Default: the one in force' },
    'max-tokens': { value: 'N', help: 'Begins no further case once this many tokens are used' },
    wait: { value: 'SECONDS', help: `How long an answer may take (${defaultSeconds})` },
  },
  scopes: '`agents:write`; for cases with a turn, and for a set, `agents:read` and `events:read` too',
  notes: [
    'Nothing is sent, and tools that would change something are rehearsed.',
    'A case of a set whose rules are none passes if it is answered.',
    'Exit code 1: a case failed or was skipped.',
  ],
  examples: [
    'gatehouse eval agt_... cases.json --version 7',
    'gatehouse eval agt_... --set Refunds --version 7',
    'gatehouse eval agt_... cases.json --json',
  ],
  run: async (call) => {
    const [agent = '', file] = call.arguments;
    const set = call.value('set');
    if ((file === undefined) === (set === undefined)) throw usageError('Give a file, or a set.', '<file>, --set');
    const cases = set === undefined ? readCases(textOf(file ?? ''), file ?? '') : await casesOf(call.api(), agent, set);
    const version = whole(call.value('version'), '--version');
    const maxTokens = whole(call.value('max-tokens'), '--max-tokens') ?? Number.POSITIVE_INFINITY;
    const waitMs = (whole(call.value('wait'), '--wait') ?? defaultSeconds) * secondMs;
    const results: Result[] = [];
    let tokens = 0;
    for (const one of cases) {
      const unasked = one.gone ?? (tokens >= maxTokens ? 'the tokens of --max-tokens are used' : null);
      const result =
        unasked === null ? await resultOf(call.api(), { agent, version, waitMs }, one) : skipped(one, unasked);
      tokens += result.tokens;
      results.push(result);
      call.note(`${result.state.padEnd(7)} ${one.name}`);
    }
    const passed = results.filter(({ state }) => state === 'passed').length;
    call.print({ agent_id: agent, version, passed, total: results.length, tokens, cases: results });
    const rows = results.map((each) => [
      each.state,
      String(each.tokens),
      String(Math.round(each.duration_ms)),
      each.name,
      each.problems.join('; '),
    ]);
    for (const line of table(['STATE', 'TOKENS', 'MS', 'CASE', 'PROBLEMS'], rows)) call.say(line);
    call.say(`${passed} of ${results.length} passed, ${tokens} tokens.`);
    return passed === results.length ? exits.done : exits.unwell;
  },
};

interface Asked {
  agent: string;
  version: number | undefined;
  waitMs: number;
}

/** One conversation: a message is asked once the one before is answered. */
async function resultOf(api: Api, { agent, version, waitMs }: Asked, { name, asks, rules }: Case): Promise<Result> {
  const startedMs = performance.now();
  const path = `agents/${encodeURIComponent(agent)}/trials`;
  const trial = await api.post<{ id: string }>(path);
  const turns: Turn[] = [];
  const problems: string[] = [];
  for (const ask of asks) {
    const asked = await api.post<Turn>(`${path}/${trial.id}/messages`, {
      ...ask,
      ...(version === undefined ? {} : { version }),
    });
    const turn = await answered(api, `${path}/${trial.id}`, asked, waitMs);
    turns.push(turn);
    if (turn.state === 'succeeded') continue;
    problems.push(
      turn.state === 'failed'
        ? `message ${turns.length}: ${turn.reason_text ?? turn.error ?? 'it failed'}`
        : `message ${turns.length}: no answer within ${waitMs / secondMs} s (${turn.state})`,
    );
    break;
  }
  const last = turns.at(-1);
  const answer = last?.reply_text ?? '';
  if (problems.length === 0 && last) {
    const called = rules.some((rule) => rule.calls !== undefined) ? await toolsOf(api, last.id) : [];
    problems.push(...rules.flatMap((rule) => problemOf(rule, answer, called) ?? []));
  }
  return {
    name,
    state: problems.length === 0 ? 'passed' : 'failed',
    problems,
    answer,
    trial_id: trial.id,
    tokens: turns.reduce((sum, turn) => sum + turn.tokens, 0),
    cost_micros: turns.reduce((sum, turn) => sum + turn.cost_micros, 0),
    duration_ms: performance.now() - startedMs,
  };
}

/** The turn as it ended; one that took too long is cancelled, so that it uses no more tokens. */
async function answered(api: Api, path: string, asked: Turn, waitMs: number): Promise<Turn> {
  const untilMs = performance.now() + waitMs;
  let turn = asked;
  while (!ended.has(turn.state)) {
    if (performance.now() > untilMs) {
      await api.post(`turns/${turn.id}/cancel`).catch(() => undefined);
      return turn;
    }
    await pause(everyMs);
    const { turns } = await api.get<{ turns: Turn[] }>(path);
    turn = turns.find(({ id }) => id === asked.id) ?? turn;
  }
  return turn;
}

async function toolsOf(api: Api, turnId: string): Promise<string[]> {
  const { data } = await api.get<{ data: { tool: string; outcome: string }[] }>(`turns/${turnId}/tool-calls`);
  return data.filter(({ outcome }) => outcome !== 'refused').map(({ tool }) => tool);
}

function skipped({ name }: Case, why: string): Result {
  return {
    name,
    state: 'skipped',
    problems: [why],
    answer: null,
    trial_id: null,
    tokens: 0,
    cost_micros: 0,
    duration_ms: 0,
  };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw usageError(`The file cannot be read: ${error instanceof Error ? error.message : String(error)}.`, file);
  }
}

function whole(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw usageError(`${text} is not a whole number above 0.`, option);
  return value;
}
