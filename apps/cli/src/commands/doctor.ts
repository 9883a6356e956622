import type { Api } from '../api/api.js';
import { CliError, exits } from '../api/cli-error.js';
import type { Call, Command } from '../call/command.js';
import { localFindings } from '../diagnosis/local-findings.js';
import { type Finding, ok, trouble } from '../diagnosis/finding.js';
import type { Attention, Queues } from './status.js';

export interface Diagnostics {
  data: Finding[];
}

/** A queue this far behind is reported, as in the alert `GatehouseQueueIsLong`. */
const behindMs = 60_000;

export const doctor: Command = {
  name: 'doctor',
  summary: 'Checks settings, clocks, stores, migrations, egress and signatures, and says what to do',
  options: { all: { help: 'Also shows what is fine' } },
  scopes: '`admin`',
  notes: [
    'If the API does not answer, an `npm start` installation is checked from outside.',
    'Exit code 1: there is an error; warnings alone give 0.',
  ],
  examples: ['gatehouse doctor', 'gatehouse doctor --all --json'],
  run: async (call) => {
    const findings = await examine(call);
    call.print({ findings });
    const shown = call.flag('all') ? findings : findings.filter(({ state }) => state !== 'ok');
    for (const line of grouped(shown)) call.say(line);
    const count = (state: Finding['state']): number => findings.filter((one) => one.state === state).length;
    call.say(`${count('ok')} fine, ${count('warning')} warnings, ${count('error')} errors`);
    return count('error') > 0 ? exits.unwell : exits.done;
  },
};

const marks = { ok: 'ok     ', warning: 'WARNING', error: 'ERROR  ' };

/** Equal findings of several services are shown as one. */
function grouped(findings: Finding[]): string[] {
  const alike = Map.groupBy(findings, ({ check, state, text }) => JSON.stringify([check, state, text]));
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { state, check, text, what_to_do: toDo } = first;
    const services = group.map(({ service }) => service).join(', ');
    return [`${marks[state]}  ${check}: ${services}: ${text}`, ...(toDo ? [`         ${toDo}`] : [])];
  });
}

/** Runs all checks. @throws CliError when neither an address nor an installation is known */
export async function examine(call: Call): Promise<Finding[]> {
  const local = call.installation ? await localFindings(call.installation) : [];
  try {
    const api = call.api();
    return [...local, ...(await asked(api))];
  } catch (error) {
    if (!(error instanceof CliError) || (error.exit === exits.usage && !call.installation)) throw error;
    return [...local, unanswered(error)];
  }
}

/** Without the API, its refusal says what is known. */
function unanswered({ message, where, toDo, exit }: CliError): Finding {
  if (message.startsWith('Postgres does not answer')) {
    const check =
      'Check that it runs, its log, and the address and password in DATABASE_URL. Nothing acknowledged is lost.';
    return trouble('error', 'postgres', 'portal', `Postgres does not answer (${where}).`, check);
  }
  const why = exit === exits.unavailable ? 'Check that the portal runs, and its log.' : toDo;
  return trouble('error', 'services', 'portal', `${where}: ${message}`, why);
}

async function asked(api: Api): Promise<Finding[]> {
  const { data } = await api.get<Diagnostics>('diagnostics');
  const [attention, queues] = await Promise.all([api.get<Attention>('attention'), api.get<Queues>('queues')]);
  return [
    clock(api.clockAheadMs() ?? 0),
    ...data,
    ...attention.data
      // The services' own findings name these.
      .filter(({ code }) => !/^(service_silent|adapter_unready|redis_\w+)$/.test(code))
      .map(({ severity, text, what_to_do }) => trouble(severity, 'attention', 'project', text, what_to_do)),
    ...queues.data.filter(({ oldest_ms }) => oldest_ms > behindMs).map(longQueue),
  ];
}

function clock(aheadMs: number): Finding {
  const text = `The clock of the portal is ${Math.abs(aheadMs / 1000).toFixed(1)} s ${aheadMs < 0 ? 'behind' : 'ahead of'} the clock of this machine.`;
  // The header with the time only has whole seconds.
  if (Math.abs(aheadMs) < 3_000) return ok('clocks', 'portal', text);
  return trouble('warning', 'clocks', 'portal', text, 'Synchronise the clocks of both machines (NTP).');
}

function longQueue({ queue, service, oldest_ms: ms }: Queues['data'][number]): Finding {
  const text = `The oldest job of ${queue} has waited for ${Math.round(ms / 1000)} s.`;
  return trouble(
    'warning',
    'queues',
    service,
    text,
    `Check that ${service} runs, and its log. See docs/runbooks/GatehouseQueueIsLong.md.`,
  );
}
