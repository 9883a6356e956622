import type { Metrics } from '#libs/service-kit';
import { Gauge, Histogram } from 'prom-client';

/** Metrics of calls of adapters. */
export interface AdapterRequests {
  /** @param route of the contract @param outcome `ok`, or the code of the error */
  ended(route: string, outcome: string, beganMs: number): void;
}

/** @param circuits open ones (`shut`), and those whose next call is a trial (`halfOpen`) */
export function adapterRequests(
  { registry }: Metrics,
  circuits: () => { shut: string[]; halfOpen: string[] },
): AdapterRequests {
  const registers = [registry];
  const seconds = new Histogram({
    name: 'gatehouse_adapter_request_seconds',
    help: 'Calls of adapters by route of the contract and outcome, as the gateway sees them',
    labelNames: ['route', 'outcome'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const open: Gauge<'state'> = new Gauge({
    name: 'gatehouse_adapter_circuits',
    help: 'Circuits of adapters that let nothing through (shut), or one call as a trial (half_open)',
    labelNames: ['state'],
    registers,
    collect: () => {
      const { shut, halfOpen } = circuits();
      open.set({ state: 'shut' }, shut.length);
      open.set({ state: 'half_open' }, halfOpen.length);
    },
  });
  return {
    ended: (route, outcome, beganMs) => seconds.observe({ route, outcome }, (performance.now() - beganMs) / 1_000),
  };
}
