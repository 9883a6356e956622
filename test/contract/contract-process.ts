import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** One call of the platform to an adapter. */
export interface ContractCall {
  /** The path below the adapter's mount: `verify`, `sources/list-changes`. */
  route: string;
  headers: Record<string, string>;
  body: {
    /** Of `/deliver`. */
    message?: { text: string };
    /** The original webhook, for `/challenge` and `/parse-inbound`. */
    request?: { url: string; headers: Record<string, string> };
    [field: string]: unknown;
  };
}

/** An answer that the contract does not show. The last one of several is kept. */
export interface Script {
  status?: number;
  headers?: Record<string, string>;
  json?: unknown;
  text?: string;
  base64?: string;
  delay_ms?: number;
  /** Withheld until `unscript`, or another `answer`. */
  held?: boolean;
  /** Closes the connection instead. */
  drop?: boolean;
}

/** An adapter in a process of its own, controlled over HTTP. */
export interface ContractAdapter {
  slug: string;
  url: string;
  answer(route: string, script: Script | Script[]): Promise<void>;
  /** Goes back to the answers of the contract. */
  unscript(route: string): Promise<void>;
  /** @param changes to the manifest that it has by default */
  manifest(changes: Record<string, unknown>): Promise<void>;
  files(files: Record<string, string>): Promise<void>;
  /** Oldest first. */
  calls(route?: string): Promise<ContractCall[]>;
  forget(): Promise<void>;
}

export interface ContractProcess {
  /** Mounts an adapter under a slug of its own. @param changes to its manifest */
  mount(name: string, changes?: Record<string, unknown>): Promise<ContractAdapter>;
  /** Mounts one under a slug that another process may use too. */
  mountAs(slug: string, changes?: Record<string, unknown>): Promise<ContractAdapter>;
  close(): Promise<void>;
}

/** Starts plain Node with the adapter's one file, as its author would. */
export async function startContractProcess(): Promise<ContractProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'contract-adapter.mjs')], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const origin = await listening(child.stdout);
  const control = async <T = void>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(`${origin}/_control/${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  let mounted = 0;
  const mountAs: ContractProcess['mountAs'] = async (slug, changes = {}) => {
    await control('PUT', slug, changes);
    return {
      slug,
      url: `${origin}/${slug}`,
      answer: (route, script) => control('PUT', `${slug}/answers/${route}`, script),
      unscript: (route) => control('DELETE', `${slug}/answers/${route}`),
      manifest: (next) => control('PUT', `${slug}/manifest`, next),
      files: (files) => control('PUT', `${slug}/files`, files),
      calls: async (route) => {
        const calls = await control<ContractCall[]>('GET', `${slug}/calls`);
        return route === undefined ? calls : calls.filter((call) => call.route === route);
      },
      forget: () => control('DELETE', `${slug}/calls`),
    };
  };
  return {
    mount: (name, changes) => mountAs(`${name}-${(mounted += 1)}`, changes),
    mountAs,
    close: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function listening(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const origin = /listening on (\S+)/.exec(line)?.[1];
    if (origin !== undefined) return origin;
  }
  throw new Error('the adapter did not start');
}
