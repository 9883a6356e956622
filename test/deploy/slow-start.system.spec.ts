import { until } from '#libs/testing';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitReady } from '../../scripts/launcher/service-process.mjs';
import { services } from '../../scripts/launcher/services.mjs';

describe('a service that is slow to be ready', () => {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-slow-'));
  const logFile = join(dir, 'slow.log');
  let server: Server;
  let ready = false;

  beforeAll(async () => {
    writeFileSync(logFile, 'loading Python\n');
    server = createServer((_request, response) => {
      response.writeHead(ready ? 200 : 503).end('{"reason":"no sandbox has started yet"}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    server.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it('is waited for as long as it takes, and the reason is reported again and again', async () => {
    const reports: string[] = [];
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const options = { name: 'slow', origin, logFile, sayEveryMs: 50, report: (text: string) => reports.push(text) };
    const waiting = waitReady({ ...options, signal: new AbortController().signal });
    await until('it was reported three times', () => reports.length >= 3);
    expect(reports[0]).toMatch(/^Waiting for slow for \d+ s: it answers 503 .*no sandbox has started yet/);
    expect(reports[0]).toContain('loading Python');
    ready = true;
    await waiting;
  });

  it('is reported where nothing answers, and the wait ends when it is aborted', async () => {
    const reports: string[] = [];
    const controller = new AbortController();
    const options = { name: 'dead', origin: 'http://127.0.0.1:9', logFile: join(dir, 'none.log'), sayEveryMs: 50 };
    const waiting = waitReady({ ...options, report: (text: string) => reports.push(text), signal: controller.signal });
    await until('it was reported', () => reports.length >= 1);
    expect(reports[0]).toMatch(/^Waiting for dead .*: no answer/);
    controller.abort();
    await expect(waiting).rejects.toThrow(/abort/);
  });

  it('does not delay a start where the system works without it: the sandboxes of Python', () => {
    expect(services.filter(({ essential }) => !essential).map(({ name }) => name)).toEqual(['python-runner']);
  });
});
