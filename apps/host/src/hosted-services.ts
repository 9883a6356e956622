import { hostService, type ServiceOptions } from '#libs/service-kit';

/** A service whose settings were read, and nothing else yet. */
export interface Prepared {
  /** Those that it was told; 0 is any. */
  ports: number[];
  start(): Promise<Running>;
}

export interface Running {
  /** Drains it. */
  close(): Promise<unknown>;
}

/** @throws Error with every setting that is wrong */
type Prepare = (environment: NodeJS.ProcessEnv) => Promise<Prepared>;

/**
 * What one process may host, in the order in which it starts: who calls the others last. The python-runner is not among
 * them: what it runs finds nothing worth taking next door because it is a process without stores and keys.
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
    return { ports: [env.port, env.operationsPort], start: () => startAdapters(env) };
  },
  portal: service(() => import('../../portal/src/service.js')),
};

/** Loaded when it is hosted: what is not costs nothing. */
function service(load: () => Promise<{ serviceFrom(environment: NodeJS.ProcessEnv): ServiceOptions }>): Prepare {
  return async (environment) => {
    const options = (await load()).serviceFrom(environment);
    const { PORT, OPERATIONS_PORT } = options.settings;
    return { ports: [PORT, OPERATIONS_PORT], start: () => hostService(options) };
  };
}
