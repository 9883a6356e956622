import { freePort, testDatabase, testRedisUrl, testServiceKey, type TestDatabase, until } from '#libs/testing';
import { type ChildProcess, spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { root } from '../../scripts/launcher/project.mjs';

const entry = (path: string): string => join(root, 'dist', path);
const preload = ['--import', entry('libs/service-kit/src/boot-signals.js')];

describe('a service on a schema that is older than its code', () => {
  let database: TestDatabase;
  let admin: pg.Client;
  let port: number;
  let operations: number;
  let newest: { timestamp: string; name: string };
  const running: ChildProcess[] = [];

  const run = (...args: string[]): ChildProcess & { output: () => string } => {
    const urls = ['INGRESS_URL', 'GATEWAY_URL', 'ENGINE_URL', 'PUBLIC_URL'];
    const child = spawn(process.execPath, [...preload, ...args], {
      cwd: root,
      env: {
        PATH: process.env['PATH'],
        ...Object.fromEntries(urls.map((name) => [name, 'http://127.0.0.1:9'])),
        PORT: String(port),
        OPERATIONS_PORT: String(operations),
        DATABASE_URL: database.urlOf('router'),
        ENGINE_DATABASE_URL: database.urlOf('engine'),
        REDIS_URL: testRedisUrl(),
        GATEHOUSE_SERVICE_KEY: JSON.stringify(testServiceKey),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
    running.push(child);
    return Object.assign(child, { output: () => output });
  };
  const ended = (child: ChildProcess) =>
    new Promise<number | string | null>((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)));
  const ask = async (at: number, path: string): Promise<{ status: number; body: string } | null> => {
    const answer = await fetch(`http://127.0.0.1:${at}${path}`).catch(() => null);
    return answer && { status: answer.status, body: await answer.text() };
  };
  const migrateNewest = () =>
    admin.query('INSERT INTO router.migration (timestamp, name) VALUES ($1, $2)', [newest.timestamp, newest.name]);

  beforeEach(async () => {
    database = await testDatabase();
    [port, operations] = [await freePort(), await freePort()];
    admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    const { rows } = await admin.query(
      `DELETE FROM router.migration WHERE id = (SELECT max(id) FROM router.migration) RETURNING timestamp, name`,
    );
    [newest] = rows as [typeof newest];
  });
  afterEach(async () => {
    for (const child of running.splice(0)) child.kill('SIGKILL');
    await admin.end();
    await database.drop();
  });

  it('is alive and not ready, says why, takes nothing, and continues when it is migrated', async () => {
    run(entry('apps/router/src/main.js'));
    const waiting = await until('it says why', async () => {
      const answer = await ask(operations, '/health/ready');
      return answer?.status === 503 && answer.body.includes(newest.name) ? answer : null;
    });
    expect(waiting.body).toContain(`the schema router is older than this build: it lacks ${newest.name}"`);
    expect((await ask(operations, '/health/live'))?.status).toBe(200);
    expect(await ask(port, '/health/ready')).toBeNull();
    await migrateNewest();
    await until('it is ready', async () => (await ask(port, '/health/ready'))?.status === 200);
  });

  it('stops at once when it is asked to during the wait', async () => {
    const child = run(entry('apps/router/src/main.js'));
    await until('it waits', async () => (await ask(operations, '/health/ready'))?.status === 503);
    const end = ended(child);
    child.kill('SIGTERM');
    expect(await end).toBe(143);
  });

  it('is held back in its pod by a command that waits for the migration', async () => {
    const child = run(entry('libs/database/src/wait-migrated.js'), 'router');
    const end = ended(child);
    await until('it says what it waits for', () => child.output().includes(newest.name));
    await migrateNewest();
    expect(await end).toBe(0);
  });

  it('is held back beside others of its process, each asked as its own role', async () => {
    const child = run(entry('libs/database/src/wait-migrated.js'), 'engine', 'router');
    const end = ended(child);
    await until('it says what it waits for', () => child.output().includes(newest.name));
    expect(child.output()).toMatch(/^router waits: /);
    await migrateNewest();
    expect(await end).toBe(0);
  });
});

describe('a Job that needs Postgres', () => {
  it('is held back by a command that waits for the login: while Postgres is away, and while there is no such role', async () => {
    const database = await testDatabase();
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    const role = `late_${process.pid}_${Date.now()}`;
    const url = new URL(database.url);
    [url.username, url.password] = [role, 'right'];
    const [port, target] = [await freePort(), Number(url.port || 5432)];
    const host = url.hostname;
    [url.hostname, url.port, url.search] = ['127.0.0.1', String(port), ''];
    const args = [...preload, entry('libs/database/src/wait-migrated.js'), '--login', 'migrate'];
    const child = spawn(process.execPath, args, { env: { PATH: process.env['PATH'], DATABASE_URL: String(url) } });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    const end = new Promise((resolve) => child.once('exit', resolve));
    // A Postgres that comes up later, at an address that is known before.
    let refused = 0;
    const door = createServer((socket) => {
      const inner = connect(target, host);
      inner.on('end', () => (refused += 1));
      socket.pipe(inner).pipe(socket);
      for (const each of [socket, inner]) each.on('error', () => void [socket, inner].map((one) => one.destroy()));
    });
    try {
      await until('it waits for Postgres', () => output.includes('migrate waits: connect ECONNREFUSED'));
      await new Promise<void>((resolve) => door.listen(port, '127.0.0.1', resolve));
      await until('it was refused as an unknown role', () => refused > 0);
      expect(child.exitCode).toBeNull();
      await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'right'`);
      expect(await end).toBe(0);
    } finally {
      child.kill('SIGKILL');
      door.close();
      await admin.query(`DROP ROLE IF EXISTS ${role}`);
      await admin.end();
      await database.drop();
    }
  });
});
