import { freePort } from '#libs/testing';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface ChildServer {
  origin: string;
  stop(): Promise<void>;
}

const entry = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));

/** Starts the protocol's reference server as a child process. @param transport as its command line names it */
export async function startEverything(transport: 'streamableHttp' | 'sse'): Promise<ChildServer> {
  const port = await freePort();
  const child = spawn(process.execPath, [entry, transport], {
    env: { PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
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

async function listening(child: ChildProcess): Promise<void> {
  let said = '';
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer): void => {
      said += chunk.toString();
      if (/listening|running on port/i.test(said)) resolve();
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${said}`)));
  });
}
