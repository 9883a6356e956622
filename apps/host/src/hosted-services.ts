import { checkStart, hostService, type ServiceOptions } from '#libs/service-kit';

/** A service whose settings have been read and which has not started. */
export interface Prepared {
  /** The configured ports; 0 is any. */
  ports: number[];
  start(): Promise<Running>;
  /** Throws what is wrong with its settings beyond their form; changes nothing. */
  check(): Promise<void>;
}

export interface Running {
  /** Drains the service. */
  close(): Promise<unknown>;
}

/** @throws Error that lists every invalid setting */
type Prepare = (environment: NodeJS.ProcessEnv) => Promise<Prepared>;

/**
 * What one process may host, in the order of start: a service that calls others starts after them. The python-runner is
 * excluded. It runs code that people wrote, and a process without stores and keys has nothing that such code could
 * take.
 */
export const hostedServices: Record<string, Prepare> = {
  'credential-vault': service(() => import('../../credential-vault/src/service.js')),
  'webhook-ingress': service(() => import('../../webhook-ingress/src/service.js')),
  'adapter-gateway': service(() => import('../../adapter-gateway/src/service.js')),
  router: service(() => import('../../router/src/service.js')),
  engine: service(() => import('../../engine/src/service.js')),
  'mcp-registry': service(() => import('../../mcp-registry/src/service.js')),
  adapters: async (environment) => {
    const { readEnv } = await import('../../adapters/src/env.js');
    const { startAdapters } = await import('../../adapters/src/start-adapters.js');
    const env = readEnv(environment);
    return { ports: [env.port, env.operationsPort], start: () => startAdapters(env), check: async () => undefined };
  },
  portal: service(() => import('../../portal/src/service.js')),
};

/** What a message passes. In one process these hand it on without Redis. */
export const path = ['webhook-ingress', 'adapter-gateway', 'router', 'engine'];

/** Loaded only when it is hosted, so that unused services cost nothing. */
function service(load: () => Promise<{ serviceFrom(environment: NodeJS.ProcessEnv): ServiceOptions }>): Prepare {
  return async (environment) => {
    const options = (await load()).serviceFrom(environment);
    const { PORT, OPERATIONS_PORT } = options.settings;
    return { ports: [PORT, OPERATIONS_PORT], start: () => hostService(options), check: () => checkStart(options) };
  };
}
