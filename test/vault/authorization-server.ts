import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../../scripts/launcher/project.mjs';

export interface Fault {
  kind: 'hold-before' | 'hold-after' | 'drop-before' | 'drop-after' | 'status' | 'patch' | 'raw';
  times?: number;
  status?: number;
  headers?: Record<string, string>;
  fields?: Record<string, unknown>;
  text?: string;
}

interface Recorded {
  requests: { grant: string; status: number; refreshToken: string | null; resource: string | null }[];
  revoked: string[];
  /** Refresh tokens that were issued, and what each of them replaced. */
  issued: { token: string; from: string | null }[];
  held: number;
}

/** A real authorization server with rotating refresh tokens, in its own process, behind a proxy that injects faults. */
export interface AuthorizationServer {
  url: string;
  configure(what: {
    faults?: Fault[];
    delayMs?: number;
    graceMs?: number;
    /** The status of revocations; 200 passes them on. */
    revocationStatus?: number;
    release?: true;
    reset?: true;
  }): Promise<Recorded>;
  /** What happened since the last `reset`. */
  recorded(): Promise<Recorded>;
  refreshes(): Promise<Recorded['requests']>;
  close(): Promise<void>;
}

export async function startAuthorizationServer(options: {
  redirectUris: string[];
  accessTokenSeconds?: number;
  /** Claims of the people there, by the value of the browser's cookie `account`. */
  accounts?: Record<string, object>;
}): Promise<AuthorizationServer> {
  const child = spawn(process.execPath, [join(root, 'bench/oauth/provider.mjs'), JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { url } = JSON.parse(line) as { url: string };
  const configure: AuthorizationServer['configure'] = async (what) => {
    const answer = await fetch(`${url}/__faults`, { method: 'POST', body: JSON.stringify(what) });
    return (await answer.json()) as Recorded;
  };
  const recorded = (): Promise<Recorded> => configure({});
  return {
    url,
    configure,
    recorded,
    refreshes: async () => (await recorded()).requests.filter(({ grant }) => grant === 'refresh_token'),
    close: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}
