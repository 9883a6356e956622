import { migrateAll, prepareRoles } from '#libs/database';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import pg from 'pg';
import { publicHome } from '../../scripts/launcher/postgres-identity.mjs';
import { startPostgres } from '../../scripts/launcher/postgres.mjs';
import { asRole, testPasswords } from '#libs/testing';

type Server = Awaited<ReturnType<typeof startPostgres>>;

/** Two servers of their own: a primary with every schema migrated, and a replica that streams from it. */
export interface ReplicatedPostgres {
  /** As an administrator. */
  primary: pg.Client;
  /** An address as a service's role has it. */
  urlOf(which: 'primary' | 'replica', service: string): string;
  /** Stops and continues the replay of what the replica receives. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Resolves once the replica has replayed all that the primary has written by now. */
  caughtUp(): Promise<void>;
  /** Ends the replica's processes at once. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-replica-'));
  const dirs = { primary: join(dir, 'primary'), replica: join(dir, 'replica') };
  const first = await startPostgres({ dataDir: dirs.primary, durable: false, detached: false });
  let second: Server | null = null;
  let replica: pg.Client | null = null;
  const primary = new pg.Client({ connectionString: first.url });
  const startReplica = async (): Promise<void> => {
    second = await startPostgres({ dataDir: dirs.replica, port: second?.port, durable: false, detached: false });
    replica = new pg.Client({ connectionString: second.url });
    replica.on('error', () => undefined);
    await replica.connect();
  };
  const onReplica = async (sql: string, parameters: unknown[] = []): Promise<Record<string, unknown>[]> =>
    (await replica!.query(sql, parameters)).rows as Record<string, unknown>[];
  const stop = async (): Promise<void> => {
    await replica?.end().catch(() => undefined);
    await primary.end();
    await Promise.all([second?.stop(), first.stop()]);
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    await primary.connect();
    await prepareRoles(first.url, testPasswords, 'ts');
    await migrateAll(asRole(first.url, 'owner'), 'ts');
    await copyTo(dirs, primary, first);
    await startReplica();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    primary,
    urlOf: (which, service) => asRole(which === 'primary' ? first.url : second!.url, service),
    pause: async () => void (await onReplica('SELECT pg_wal_replay_pause()')),
    resume: async () => void (await onReplica('SELECT pg_wal_replay_resume()')),
    caughtUp: async () => {
      const { rows } = await primary.query<{ at: string }>('SELECT pg_current_wal_lsn()::text AS at');
      for (;;) {
        const [{ there } = {}] = await onReplica('SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS there', [
          rows[0]?.at,
        ]);
        if (there) return;
      }
    },
    kill: async () => {
      process.kill(second!.pid, 'SIGKILL');
      await second!.exited;
    },
    restart: startReplica,
    stop,
  };
}

/** A base backup, as `pg_basebackup` makes one: the binaries of the tests lack that program. */
async function copyTo(dirs: Record<'primary' | 'replica', string>, primary: pg.Client, server: Server): Promise<void> {
  const { rows } = await primary.query<{ data_directory: string }>('SHOW data_directory');
  const from = rows[0]!.data_directory;
  // Where the server's user cannot reach the folder, its cluster is elsewhere.
  const home = from.startsWith(dirs.primary) ? dirs.replica : publicHome(dirs.replica);
  const to = join(home, basename(from));
  mkdirSync(dirs.replica, { recursive: true, mode: 0o700 });
  mkdirSync(home, { recursive: true, mode: 0o700 });
  cpSync(join(dirname(from), 'password'), join(home, 'password'));
  await primary.query("SELECT pg_backup_start('replica', true)");
  const left = ['pg_wal', 'postmaster.pid', 'postmaster.opts'].map((name) => join(from, name));
  cpSync(from, to, { recursive: true, filter: (path) => !left.includes(path) });
  const { rows: ended } = await primary.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
  mkdirSync(join(to, 'pg_wal', 'archive_status'), { recursive: true, mode: 0o700 });
  writeFileSync(join(to, 'backup_label'), ended[0]!.labelfile);
  writeFileSync(join(to, 'standby.signal'), '');
  const { username, password, port } = new URL(server.url);
  const settings = {
    primary_conninfo: `host=127.0.0.1 port=${port} user=${username} password=${password}`,
    // What is read there is cancelled as soon as it is in the way of the replay.
    max_standby_streaming_delay: '0',
  };
  for (const [name, value] of Object.entries(settings))
    appendFileSync(join(to, 'postgresql.auto.conf'), `${name} = '${value}'\n`);
}
