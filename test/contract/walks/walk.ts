import type { Sink } from '../../system/sink.js';
import type { System } from '../../system/system.js';
import type { ContractProcess } from '../contract-process.js';

/** Shared by the walks: a running system, a sink for its replies, and adapters written from the contract alone. */
export interface Ground {
  system: System;
  sink: Sink;
  adapters: ContractProcess;
}

export interface Named {
  id: string;
}

export interface Listed {
  data: Named[];
  next_cursor?: string | null;
}

/** Calls the API and checks every answer against its description. */
export type Ask = <T = Named>(
  method: string,
  path: string,
  body?: object,
  headers?: Record<string, string>,
) => Promise<T>;

/** @param ground set once the system runs; walks are declared earlier */
export const askOf =
  (ground: () => Ground): Ask =>
  (method, path, body, headers) =>
    ground().system.api(method, `/api/v1/${path}`, body, headers);
