import { hostedServices, type Prepared, type Running } from './hosted-services.js';

/**
 * Starts services in this process, all or none: a partly running installation looks healthy, which is worse than a
 * restart.
 * @param environmentOf the environment of each service
 * @param services what may be hosted
 * @returns a function that drains them all; it throws when one could not be closed
 * @throws Error with a sentence for each service that does not start; services that already run are closed first
 */
export async function host(
  names: string[],
  environmentOf: (name: string) => NodeJS.ProcessEnv,
  services = hostedServices,
): Promise<() => Promise<void>> {
  const prepared = await prepareAll(names, environmentOf, services);
  refuseSharedPorts(prepared);
  const running: Running[] = [];
  const close = async (): Promise<void> => {
    const ends = await Promise.allSettled(running.map((each) => each.close()));
    const failed = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    if (failed.length > 0) throw new AggregateError(failed, failed.map(reasonOf).join('; '));
  };
  for (const [name, { start }] of prepared) {
    try {
      running.push(await start());
    } catch (error) {
      await close().catch(() => undefined);
      throw new Error(`${name} did not start, so the other services of this process are stopped: ${reasonOf(error)}`, {
        cause: error,
      });
    }
  }
  return close;
}

/**
 * Checks the settings with which `host` would start services, and starts none.
 * @throws Error that says what is wrong
 */
export async function checkHosted(
  names: string[],
  environmentOf: (name: string) => NodeJS.ProcessEnv,
  services = hostedServices,
): Promise<void> {
  const prepared = await prepareAll(names, environmentOf, services);
  refuseSharedPorts(prepared);
  for (const [, { check }] of prepared) await check();
}

/** Reads all settings before anything runs, so that all errors are reported at once. */
async function prepareAll(
  names: string[],
  environmentOf: (name: string) => NodeJS.ProcessEnv,
  services: typeof hostedServices,
): Promise<[string, Prepared][]> {
  const prepared: [string, Prepared][] = [];
  const problems: string[] = [];
  for (const name of names) {
    try {
      const prepare = services[name];
      if (prepare) prepared.push([name, await prepare(environmentOf(name))]);
    } catch (error) {
      problems.push(`${name} did not start: ${reasonOf(error)}`);
    }
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return prepared;
}

function refuseSharedPorts(prepared: [string, Prepared][]): void {
  const taken = new Map<number, string>();
  for (const [name, { ports }] of prepared) {
    for (const port of ports.filter((each) => each !== 0)) {
      const other = taken.get(port);
      if (other) {
        throw new Error(
          `${other} and ${name} would both listen on port ${port}: give each its own port (for example with ROUTER_PORT)`,
        );
      }
      taken.set(port, name);
    }
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
