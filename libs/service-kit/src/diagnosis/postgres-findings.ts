import type { Database } from '#libs/database';
import { broken, clockFinding, type Finding, unwise, well } from './finding.js';

const leastVersion = 150_000;
/** An acknowledged receipt is on disk only while these are on. */
const durable = ['fsync', 'full_page_writes', 'synchronous_commit'] as const;

interface ServerState {
  version: string;
  number: number;
  now_ms: number;
  connections: number;
  max_connections: number;
  fsync: string;
  full_page_writes: string;
  synchronous_commit: string;
}

/** Whether Postgres answers, is new enough and durable, agrees on the time, and has the migrations of this build. */
export async function postgresFindings(database: Database): Promise<Finding[]> {
  const asked = Date.now();
  let state: ServerState;
  try {
    [state] = (await database.query(serverSql)) as [ServerState];
  } catch (error) {
    const text = `Postgres does not answer: ${error instanceof Error ? error.message : String(error)}`;
    return [broken('postgres', text, 'Check that it runs, and that DATABASE_URL of the service points to it.')];
  }
  const tookMs = Date.now() - asked;
  return [
    ...serverFindings(state, tookMs),
    clockFinding('The clock of Postgres, compared with this service,', Number(state.now_ms) - (asked + tookMs / 2)),
    await migrationFinding(database),
  ];
}

const serverSql = `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
  (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now_ms,
  (SELECT coalesce(sum(numbackends), 0)::int FROM pg_stat_database) AS connections,
  current_setting('max_connections')::int AS max_connections,
  ${durable.map((name) => `current_setting('${name}') AS ${name}`).join(', ')}`;

function serverFindings(state: ServerState, tookMs: number): Finding[] {
  const findings: Finding[] = [];
  const off = durable.filter((name) => state[name] === 'off');
  if (state.number < leastVersion) {
    findings.push(broken('postgres', `Postgres ${state.version} is too old.`, 'Use Postgres 15 or newer.'));
  }
  if (off.length > 0) {
    const text = `Postgres runs with ${off.join(' and ')} off. Acknowledged messages may be lost when its machine fails.`;
    findings.push(broken('postgres', text, `Set ${off.map((name) => `${name}=on`).join(', ')} in postgresql.conf.`));
  }
  if (state.connections > state.max_connections * 0.9) {
    const text = `${state.connections} of ${state.max_connections} connections of Postgres are in use.`;
    findings.push(unwise('postgres', text, 'Raise max_connections, or lower DATABASE_POOL or the number of replicas.'));
  }
  return findings.length > 0 ? findings : [well('postgres', `Postgres ${state.version} answers in ${tookMs} ms.`)];
}

async function migrationFinding(database: Database): Promise<Finding> {
  const { schema } = database.options as { schema?: string };
  const known = database.migrations.map(({ name, constructor }) => name ?? constructor.name);
  const rows = (await database.query(`SELECT name FROM "${schema ?? 'public'}".migration`).catch(() => [])) as {
    name: string;
  }[];
  const applied = new Set(rows.map(({ name }) => name));
  const missing = known.filter((name) => !applied.has(name));
  const unknown = [...applied].filter((name) => !known.includes(name));
  if (missing.length > 0) {
    const text = `The schema ${schema} lacks ${missing.length} of ${known.length} migrations: ${missing.slice(0, 3).join(', ')}.`;
    return broken('migrations', text, 'Run node dist/libs/database/src/migrate-all.js as gatehouse_owner.');
  }
  if (unknown.length > 0) {
    const text = `The schema ${schema} is newer than this build: ${unknown.slice(0, 3).join(', ')}.`;
    return unwise('migrations', text, 'Deploy the build that migrated it; during a rolling deploy this is temporary.');
  }
  return well('migrations', `The schema ${schema} has every migration of this build.`);
}
