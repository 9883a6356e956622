import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { arch, cpus, freemem, loadavg, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Api } from '../api/api.js';
import type { Installation } from '../api/installation.js';
import { CliError } from '../api/cli-error.js';

const lastLogBytes = 512 * 1024;
const metricsTimeoutMs = 3_000;

type Row = Record<string, unknown>;

/**
 * Only these fields of each list are collected. What people wrote (texts, senders, names of contacts), what was
 * received, and addresses that act as keys (webhook URLs) are left out.
 */
const lists: { file: string; path: string; fields: string[] }[] = [
  {
    file: 'events.json',
    path: 'events?limit=100',
    fields: ['id', 'app_id', 'received_at', 'outcome', 'reason', 'event_type'],
  },
  {
    file: 'dead-letters.json',
    path: 'events/dead-letters?limit=100',
    fields: [
      'id',
      'at',
      'app_id',
      'receipt_id',
      'stage',
      'subject_id',
      'reason',
      'error',
      'state',
      'outcome',
      'drives',
      'redrive_error',
      'next_at',
    ],
  },
  { file: 'refusals.json', path: 'refusals?limit=100', fields: ['id', 'at', 'app_id', 'code', 'reason', 'status'] },
  {
    file: 'deliveries.json',
    path: 'deliveries?limit=100',
    fields: ['id', 'app_id', 'event_id', 'state', 'attempts', 'error', 'code', 'created_at', 'next_at'],
  },
  {
    file: 'apps.json',
    path: 'apps?limit=100',
    fields: ['id', 'kind', 'adapter_id', 'state', 'held_reason', 'missing', 'capabilities', 'warnings'],
  },
  {
    file: 'adapters.json',
    path: 'adapters?limit=100',
    fields: [
      'id',
      'slug',
      'base_url',
      'state',
      'state_reason',
      'version',
      'manifest_version',
      'violation',
      'disabled',
      'checked_at',
    ],
  },
];
/** Collected whole: these concern the installation and contain nothing that people wrote. */
const whole = {
  'diagnostics.json': 'diagnostics',
  'attention.json': 'attention',
  'queues.json': 'queues',
  'statistics.json': 'statistics/messages',
  'model.json': 'model',
};

/** What the API returns. For a refused request, the reason. */
export async function fromApi(api: Api): Promise<Map<string, string>> {
  const asked = [...Object.entries(whole).map(([file, path]) => ({ file, path, fields: null })), ...lists].map(
    async ({ file, path, fields }): Promise<[string, string]> => {
      const body = await api.get<Row>(path).catch((error: unknown) => {
        if (error instanceof CliError) return { not_answered: error.message, where: error.where };
        throw error;
      });
      return [file, JSON.stringify(fields ? chosen(body, fields) : body, null, 2)];
    },
  );
  return new Map(await Promise.all(asked));
}

function chosen(body: Row, fields: string[]): unknown {
  if (!Array.isArray(body['data'])) return body;
  return (body['data'] as Row[]).map((row) =>
    Object.fromEntries(fields.filter((name) => name in row).map((name) => [name, row[name]])),
  );
}

/** Local files of an `npm start` installation: ends of logs, and metrics. */
export async function fromInstallation({ dataDir, services }: Installation): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const logs = join(dataDir, 'logs');
  const written = existsSync(logs) ? readdirSync(logs).filter((name) => name.endsWith('.log')) : [];
  for (const name of written) files.set(`logs/${name}`, endOf(join(logs, name)));
  const scraped = services.map(async ({ name, operations_port: port }): Promise<[string, string]> => {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(metricsTimeoutMs) });
    return [`metrics/${name}.txt`, await answer.text()];
  });
  for (const one of await Promise.allSettled(scraped)) if (one.status === 'fulfilled') files.set(...one.value);
  return files;
}

/** Whole lines only. */
function endOf(file: string): string {
  const handle = openSync(file, 'r');
  try {
    const { size } = fstatSync(handle);
    const length = Math.min(size, lastLogBytes);
    const bytes = Buffer.alloc(length);
    readSync(handle, bytes, 0, length, size - length);
    const text = bytes.toString('utf8');
    return length < size ? text.slice(text.indexOf('\n') + 1) : text;
  } finally {
    closeSync(handle);
  }
}

export function aboutThisMachine(at: Date): string {
  const machine = {
    made_at: at.toISOString(),
    node: process.version,
    platform: `${platform()} ${release()} ${arch()}`,
    cpus: cpus().length,
    memory_bytes: totalmem(),
    free_memory_bytes: freemem(),
    load: loadavg(),
  };
  return JSON.stringify(machine, null, 2);
}
