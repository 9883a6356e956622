import type { Sink } from '../../system/sink.js';
import type { System } from '../../system/system.js';
import type { ContractProcess } from '../contract-process.js';

/** What the walks share: a running system, where its replies arrive, and adapters from the contract alone. */
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

/** Asks the API, every answer being held against its description. */
export type Ask = <T = Named>(
  method: string,
  path: string,
  body?: object,
  headers?: Record<string, string>,
) => Promise<T>;

/** @param ground given when the system is up: walks are declared before */
export const askOf =
  (ground: () => Ground): Ask =>
  (method, path, body, headers) =>
    ground().system.api(method, `/api/v1/${path}`, body, headers);
