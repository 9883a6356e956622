import { freePort, until } from '#libs/testing';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

interface Logged {
  route: string;
  status: number;
  organization?: string;
}

/** The adapter's process at one address, whatever becomes of it there. */
export interface CourierProcess {
  url: string;
  /** Its answers so far, oldest first. */
  answered(route?: string): Logged[];
  /** kill -9 */
  kill(): Promise<void>;
  /** SIGSTOP: it takes connections and answers nothing. @returns what resumes it */
  freeze(): () => void;
  /** Starts it again where it was, after `kill`. @param env other than before */
  start(env?: Record<string, string>): Promise<void>;
  /** Puts a proxy's error page in its place, after `kill`, until it is started again. */
  replace(): Promise<void>;
  close(): Promise<void>;
}

/** @param given `COURIER_API_URL`, `GATEHOUSE_ADAPTER_SECRET` and `BUILD` */
export async function startCourierProcess(given: Record<string, string>): Promise<CourierProcess> {
  const port = await freePort();
  const log: Logged[] = [];
  let child: ChildProcess | null = null;
  let instead: Server | null = null;
  const kill = async (): Promise<void> => {
    instead?.closeAllConnections();
    instead?.close();
    instead = null;
    const running = child;
    child = null;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const exited = once(running, 'exit');
    running.kill('SIGKILL');
    await exited;
  };
  const start: CourierProcess['start'] = async (env = {}) => {
    await kill();
    const started = spawn(process.execPath, [join(import.meta.dirname, 'courier-adapter.mjs')], {
      env: { PATH: process.env.PATH, ...given, ...env, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child = started;
    let isListening = false;
    createInterface({ input: started.stdout }).on('line', (line) => {
      const entry = JSON.parse(line);
      if ('listening' in entry) isListening = true;
      else log.push(entry);
    });
    await until('the adapter listens', () => isListening);
  };
  await start();
  return {
    url: `http://127.0.0.1:${port}/courier`,
    answered: (route) => log.filter((one) => route === undefined || one.route === route),
    kill,
    freeze: () => {
      const frozen = child;
      frozen?.kill('SIGSTOP');
      return () => void frozen?.kill('SIGCONT');
    },
    start,
    replace: async () => {
      await kill();
      const page = createServer((_asked, answer) => {
        answer.writeHead(200, { 'content-type': 'text/html' }).end('<h1>We will be back soon</h1>');
      });
      instead = page;
      await once(page.listen(port, '127.0.0.1'), 'listening');
    },
    close: kill,
  };
}
