import { environmentOf } from '../../apps/host/src/env.js';
import { hostedServices } from '../../apps/host/src/hosted-services.js';
import { composeServices, read, requiredSettings } from './manifests.js';

const normal = composeServices();
const small = composeServices('docker-compose.small.yml');
const hosted = Object.keys(hostedServices);
const environment = small['gatehouse']?.environment ?? {};
/** Addresses are what differs: services share a host, each with a port of its own. */
const isPlace = (name: string): boolean =>
  name === 'NODE_OPTIONS' || (/^(?:\w+_)?(?:PORT|HOST|URL)$/.test(name) && !/^(DATABASE|REDIS|PUBLIC)_/.test(name));

describe('docker-compose.small.yml', () => {
  it('starts none of the containers whose services it hosts', () => {
    const left = Object.keys(normal).filter((name) => !small[name]?.profiles);
    const apart = Object.keys(normal).filter((name) => small[name]?.profiles?.includes('separate'));
    expect(apart.sort()).toEqual([...hosted].sort());
    const jobs = ['database-roles', 'migrate'];
    expect(left.sort()).toEqual([...jobs, 'postgres', 'python-runner', 'redis'].sort());
    for (const job of jobs) expect(small[job]).toMatchObject({ image: small['gatehouse']?.image });
  });

  it.each(hosted)('gives %s what its own container would have', (name) => {
    const own = environmentOf(name, environment);
    expect(Object.keys(own)).toEqual(expect.arrayContaining(requiredSettings(name)));
    const settings = Object.entries(normal[name]?.environment ?? {}).filter(([setting]) => !isPlace(setting));
    for (const [setting, value] of settings) {
      const here = String(own[setting]).replace('127.0.0.1:8087,', 'adapters:8080,');
      expect([setting, here]).toEqual([setting, String(value)]);
    }
  });

  it('lets the commands of the portal run in the container', () => {
    const { DATABASE_URL, GATEHOUSE_SERVICE_KEY, PUBLIC_URL } = normal['portal']?.environment ?? {};
    expect(environment).toMatchObject({ DATABASE_URL, GATEHOUSE_SERVICE_KEY, PUBLIC_URL });
    const needed = read('apps/portal/src/bootstrap/env.ts').matchAll(/^ {2}([A-Z_]+): url\(\)/gm);
    for (const [, name = ''] of needed)
      expect([name, environment[name]]).toEqual([name, expect.stringMatching(/^http/)]);
  });

  it('has each service listen where the others call it', () => {
    const urls = ['INGRESS', 'GATEWAY', 'VAULT', 'ROUTER', 'ENGINE', 'MCP_REGISTRY', 'ADAPTERS', 'PORTAL'];
    const ports = new Map(hosted.map((name) => [name, environmentOf(name, environment)['PORT']]));
    const called = urls.map((name) => new URL(environment[`${name}_URL`] ?? ''));
    expect(called.map(({ hostname }) => hostname)).toEqual(urls.map(() => '127.0.0.1'));
    expect(called.map(({ port }) => port).sort()).toEqual([...ports.values()].sort());
    expect(new Set(hosted.map((name) => environmentOf(name, environment)['OPERATIONS_PORT'])).size).toBe(hosted.length);
    const open = hosted.filter((name) => environmentOf(name, environment)['HOST'] === '0.0.0.0');
    expect(open.sort()).toEqual(['engine', 'portal']);
    expect(small['python-runner']?.environment?.['ENGINE_URL']).toBe(`http://gatehouse:${ports.get('engine')}`);
  });

  it('stops gracefully, and has a health check', () => {
    expect(small['gatehouse']).toMatchObject({ stop_grace_period: '75s' });
    expect(small['gatehouse']?.healthcheck).toBeUndefined();
    expect(environment['PORT']).toBe(environmentOf('portal', environment)['PORT']);
  });
});
