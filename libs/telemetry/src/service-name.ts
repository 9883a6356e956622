import { AsyncLocalStorage } from 'node:async_hooks';

const named = new AsyncLocalStorage<string>();

/** Where several services share a process: spans of everything that `start` begins belong to this service. */
export const inService = <T>(name: string, start: () => T): T => named.run(name, start);

/** Undefined where a service has the process to itself. */
export const serviceName = (): string | undefined => named.getStore();
