import { freePort } from '#libs/testing';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

export interface ChildServer {
  origin: string;
  stop(): Promise<void>;
}

const entry = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));
const browserEntry = fileURLToPath(new URL('cli.js', import.meta.resolve('@playwright/mcp')));
const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** Starts the protocol's reference server as a child process. @param transport as its command line names it */
export async function startEverything(transport: 'streamableHttp' | 'sse'): Promise<ChildServer> {
  const port = await freePort();
  return started(spawn(process.execPath, [entry, transport], { env: { PORT: String(port) }, stdio }), port);
}

/** Starts a browser server, which keeps its files in its working directory, with a browser of its own for each session. @param chromium the browser's program */
export async function startBrowser(chromium: string): Promise<ChildServer> {
  const port = await freePort();
  const options = [
    '--headless',
    '--isolated',
    '--no-sandbox',
    '--port',
    String(port),
    '--host',
    '127.0.0.1',
    '--allowed-hosts',
    `127.0.0.1:${port}`,
  ];
  const child = spawn(process.execPath, [browserEntry, ...options, '--executable-path', chromium], {
    stdio,
    cwd: tmpdir(),
  });
  return started(child, port);
}

async function started(child: Child, port: number): Promise<ChildServer> {
  await listening(child);
  return {
    origin: `http://127.0.0.1:${port}`,
    stop: async () => {
      if (child.exitCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

async function listening(child: Child): Promise<void> {
  let printed = '';
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer): void => {
      printed += chunk.toString();
      if (/listening|running on port/i.test(printed)) resolve();
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${printed}`)));
  });
}
