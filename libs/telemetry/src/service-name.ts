import { AsyncLocalStorage } from 'node:async_hooks';

const named = new AsyncLocalStorage<string>();

/** Where several services share a process: spans of all that `start` begins are of this one. */
export const inService = <T>(name: string, start: () => T): T => named.run(name, start);

/** Undefined where a service is its process. */
export const serviceName = (): string | undefined => named.getStore();
