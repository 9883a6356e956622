/** Types for the parts of the launcher, which is plain JavaScript, that the system tests use. */
declare module '*/launcher/services.mjs' {
  export interface Service {
    name: string;
    entry: string;
    urlVariable: string;
    portVariable: string;
    essential: boolean;
    hostable: boolean;
  }
  export const services: Service[];
}

declare module '*/launcher/service-group.mjs' {
  interface Named {
    name: string;
  }
  export interface Group extends Named {
    entry: string;
    services: Named[];
  }
  export function hostedServices(services: Named[], env: NodeJS.ProcessEnv, args: string[]): string[];
  export function groupServices(services: Named[], hosted: string[]): Group[];
  export function groupEnv(group: Group, envOf: (name: string) => NodeJS.ProcessEnv): NodeJS.ProcessEnv;
}

declare module '*/launcher/database-state.mjs' {
  export function databaseState(of: { dataDir: string; url: string; isOurs: boolean; passwords: string }): {
    holds(): Promise<boolean>;
    remember(): Promise<void>;
  };
}

declare module '*/launcher/secrets.mjs' {
  export interface Secrets {
    kek: { kid: string; key: string };
    older_keks?: { kid: string; key: string }[];
    service_key: object & { kid: string };
    adapter_secret: string;
    webhook_key: string;
  }
  export function ensureSecrets(dataDir: string): Secrets;
  export function addKek(dataDir: string): string;
  export function kekRing(secrets: Secrets): string;
}

declare module '*/launcher/redis.mjs' {
  export function resolveRedis(of: { dir: string; env: NodeJS.ProcessEnv }): Promise<{ url: string }>;
}

declare module '*/launcher/store-access.mjs' {
  export function storeAccess(from: {
    databaseUrl: string;
    pooledUrl?: string;
    redisUrl: string;
    secrets: object;
    roles: boolean;
    users: boolean;
  }): (name: string) => { databaseUrl: string; directUrl?: string; redisUrl: string } | null;
}

declare module '*/launcher/service-env.mjs' {
  export function originOf(port: number): string;
  export function serviceEnv(from: {
    services: { name: string; urlVariable: string }[];
    ports: Record<string, number>;
    stores: (name: string) => { databaseUrl: string; directUrl?: string; redisUrl: string } | null;
    secrets: object;
    env: NodeJS.ProcessEnv;
  }): (name: string) => NodeJS.ProcessEnv;
}

declare module '*/launcher/service-process.mjs' {
  export function logFileOf(dataDir: string, name: string): string;
  export function waitReady(options: {
    name: string;
    origin: string;
    logFile: string;
    signal: AbortSignal;
    report?: (text: string) => void;
    sayEveryMs?: number;
  }): Promise<void>;
}

declare module '*/launcher/setup-step.mjs' {
  export function runStep(entry: string, env: NodeJS.ProcessEnv, signal: AbortSignal, args?: string[]): Promise<string>;
  export function bootstrapResult(output: string): {
    organization_id: string;
    project_id: string;
    api_key: string | null;
    /** Only from a run with `--owner-link`. */
    owner_link: string | null;
    webhook_url_path: string;
    webhook_token: string;
    app_id: string;
  };
}

declare module '*/launcher/project.mjs' {
  export const cacheDir: string;
  export const root: string;
}

declare module '*/launcher/redis-users.mjs' {
  export const queuesOf: Record<string, string[]>;
  export function redisUser(service: string): string;
  export function passwordVariable(user: string): string;
  export function rulesOf(service: string): string;
  export const DEFAULT_USER: string;
  export function aclFile(passwordOf: (user: string) => string, form?: 'hash' | 'plain'): string;
}

declare module '*/launcher/debian-packages.mjs' {
  /** Why it did not work, or null. */
  export function unpackDebian(
    home: string,
    packages: string[],
    programs: string | string[],
    suite?: string,
  ): string | null;
  export function librariesOf(home: string): NodeJS.ProcessEnv;
}

declare module '*/launcher/redis-binaries.mjs' {
  export function findRedis(): { command: string; env: NodeJS.ProcessEnv } | { reasons: string[] };
}

declare module '*/launcher/postgres.mjs' {
  export function startPostgres(options: {
    dataDir: string;
    port?: number | undefined;
    durable?: boolean;
    detached?: boolean;
  }): Promise<{ url: string; port: number; pid: number; exited: Promise<string>; stop: () => Promise<void> }>;
}

declare module '*/launcher/postgres-identity.mjs' {
  export function publicHome(dir: string): string;
}

declare module '*/chart/helm.mjs' {
  /** Helm on the PATH or from the registry, or why there is none. */
  export function findHelm(): Promise<{ binary: string } | { missing: string }>;
}

declare module '*/launcher/supervisor.mjs' {
  interface Running {
    pid: number;
    exited: Promise<string>;
    stop: () => Promise<void>;
  }
  export class Supervisor {
    constructor(hooks: {
      say: (text: string) => void;
      onChange?: (name: string, pid: number) => void;
      onEnd?: (name: string) => void;
    });
    pidOf(name: string): number | null;
    keep<R extends Running>(name: string, launch: () => Promise<R>): Promise<R>;
    restart(name: string): Promise<void>;
    stop(names: string[]): Promise<void>;
  }
}

declare module '*/dev/module-graph.mjs' {
  export const PACKAGES: string;
  export function processesToRestart(
    processes: { name: string; entry: string }[],
    before: Map<string, string>,
    after: Map<string, string>,
  ): string[];
}

declare module '*/dev/watch-folders.mjs' {
  export function watchFolders(
    folders: string[],
    onChange: (path: string) => void,
    onError: (error: Error) => void,
  ): () => void;
}

declare module '*/dev/inspector-ports.mjs' {
  export const FIRST_PORT: number;
}

declare module '*/image/contents.mjs' {
  export function below(folder: string): string[];
}
declare module '*/image/fill.mjs' {
  export function fillImage(root: string, app: string, into: string): void;
}

declare module '*/cluster/policies.mjs' {
  interface Pod {
    namespace: string;
    labels: Record<string, string>;
  }
  export function mayReach(policies: object[], from: Pod, to: Pod, port: number): boolean;
}

declare module '*/disturbance/tally.mjs' {
  export interface Message {
    sentAt: number;
    ackedAt: number;
    id: string;
    refused: string[];
    refusedAt: number;
  }
  export interface Tally {
    sent: number;
    acknowledged: number;
    merged: number;
    refused: number;
    lost: number;
    missing: string[];
    doubled: number;
    p50: number;
    p99: number;
    longest: number;
    overMs: number;
  }
  export const head: string[];
  export function tally(
    messages: Message[],
    replies: Record<string, { at: number; keys: number }>,
    since: number,
  ): Tally;
  export function cells(title: string, seen: Tally, tookMs: number): (string | number)[];
  export function faults(seen: Tally): number;
}

declare module '*/compose/witness.mjs' {
  export interface Event {
    action: string;
    service: string;
    container: string;
    at: number;
    exitCode?: string;
  }
  export function warningsOf(lines: { service: string; text: string }[]): string[];
  export function endingsOf(events: Event[]): string[];
}

declare module '*/launcher/memory.mjs' {
  export function memoryEnv(env: NodeJS.ProcessEnv, host?: boolean): Record<string, string>;
  export function sharedBuffersMb(env: NodeJS.ProcessEnv): number;
}
