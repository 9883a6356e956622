import { environmentOf, readSettings } from './env.js';
import { host } from './host.js';
import type { Prepared } from './hosted-services.js';

const log: string[] = [];
beforeEach(() => log.splice(0));

/** Records when it starts and ends. */
const service =
  (name: string, own: Partial<Prepared> = {}) =>
  async (): Promise<Prepared> => ({
    ports: [0, 0],
    check: async () => void log.push(`${name} is checked`),
    start: async () => {
      log.push(`${name} starts`);
      return { close: async () => log.push(`${name} ends`) };
    },
    ...own,
  });
const refuses = async (): Promise<never> => {
  throw new Error('Settings are wrong:\n  DATABASE_URL is not set');
};
const noPort = { start: async (): Promise<never> => Promise.reject(new Error('Port 9090 is in use')) };
const hosting = (services: Record<string, () => Promise<Prepared>>): Promise<() => Promise<void>> =>
  host(Object.keys(services), () => ({}), services);

describe('a process that hosts services', () => {
  it('starts them in order and ends them all', async () => {
    const close = await hosting({ vault: service('vault'), portal: service('portal') });
    expect(log).toEqual(['vault starts', 'portal starts']);
    await close();
    expect(log.slice(2).sort()).toEqual(['portal ends', 'vault ends']);
  });

  it('starts nothing where the settings of one are wrong, and names each such service', async () => {
    const starting = hosting({ vault: service('vault'), router: refuses, engine: refuses });
    await expect(starting).rejects.toThrow(/router did not start: [^]*DATABASE_URL[^]*engine did not start: /);
    expect(log).toEqual([]);
  });

  it('ends the running ones when one does not start, and says which', async () => {
    const starting = hosting({ vault: service('vault'), router: service('router', noPort), portal: service('portal') });
    await expect(starting).rejects.toThrow(
      'router did not start, so the other services of this process are stopped: Port 9090 is in use',
    );
    expect(log).toEqual(['vault starts', 'vault ends']);
  });

  it('refuses one port for two services, before anything starts', async () => {
    const ports = { ports: [8080, 0] };
    const starting = hosting({ router: service('router', ports), engine: service('engine', ports) });
    await expect(starting).rejects.toThrow('router and engine would both listen on port 8080');
    expect(log).toEqual([]);
  });

  it('closes the others even if one cannot be closed', async () => {
    const stuck = { start: async () => ({ close: () => Promise.reject(new Error('still busy')) }) };
    const close = await hosting({ vault: service('vault'), router: service('router', stuck) });
    await expect(close()).rejects.toThrow('still busy');
    expect(log).toEqual(['vault starts', 'vault ends']);
  });
});

describe('the settings of a process that hosts services', () => {
  const namesOf = (GATEHOUSE_SERVICES?: string): string[] => readSettings({ GATEHOUSE_SERVICES }).GATEHOUSE_SERVICES;

  it('name all of them, or some in the order in which they start', () => {
    expect(namesOf()).toEqual(namesOf('all'));
    expect(namesOf('all')).toHaveLength(8);
    expect(namesOf('portal, engine,router')).toEqual(['router', 'engine', 'portal']);
    expect(namesOf('path')).toEqual(['webhook-ingress', 'adapter-gateway', 'router', 'engine']);
    expect(namesOf('path,portal')).toEqual([...namesOf('path'), 'portal']);
  });

  it('name nothing that must be a process of its own', () => {
    expect(() => namesOf('router,python-runner')).toThrow(
      /GATEHOUSE_SERVICES names unknown services \(python-runner\)/,
    );
  });

  it('apply to one service where they begin with its name', () => {
    const environment = { PORT: '1', ROUTER_PORT: '2', ADAPTER_GATEWAY_PORT: '3', LOG_LEVEL: 'warn' };
    expect(environmentOf('router', environment)).toMatchObject({ PORT: '2', LOG_LEVEL: 'warn' });
    expect(environmentOf('adapter-gateway', environment)).toMatchObject({ PORT: '3' });
    expect(environmentOf('engine', environment)).toMatchObject({ PORT: '1' });
    const files = { DATABASE_URL: 'of the portal', ROUTER_DATABASE_URL_FILE: '/run/secrets/router' };
    expect(environmentOf('router', files)).toEqual({
      ...files,
      DATABASE_URL_FILE: '/run/secrets/router',
      DATABASE_URL: undefined,
    });
    expect(environmentOf('engine', files)).toEqual(files);
  });
});
