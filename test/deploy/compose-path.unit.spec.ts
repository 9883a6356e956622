import { environmentOf } from '../../apps/host/src/env.js';
import { path } from '../../apps/host/src/hosted-services.js';
import { composeServices, requiredSettings } from './manifests.js';

const normal = composeServices();
const onPath = composeServices('docker-compose.path.yml');
const environment = onPath['path']?.environment ?? {};
const urls: Record<string, string> = {
  'webhook-ingress': 'INGRESS_URL',
  'adapter-gateway': 'GATEWAY_URL',
  router: 'ROUTER_URL',
  engine: 'ENGINE_URL',
};
/** What differs where services share a host. */
const isPlace = (name: string): boolean =>
  /^((OPERATIONS_)?PORT|NODE_OPTIONS)$/.test(name) || Object.values(urls).includes(name);

describe('docker-compose.path.yml', () => {
  it('starts none of the containers whose services it hosts', () => {
    const apart = Object.keys(normal).filter((name) => onPath[name]?.profiles?.includes('separate'));
    expect(apart.sort()).toEqual([...path].sort());
    expect(environment['GATEHOUSE_SERVICES']).toBe('path');
  });

  it.each(path)('gives %s what its own container would have', (name) => {
    const own = environmentOf(name, environment);
    expect(Object.keys(own)).toEqual(expect.arrayContaining(requiredSettings(name)));
    const settings = Object.entries(normal[name]?.environment ?? {}).filter(([setting]) => !isPlace(setting));
    for (const [setting, value] of settings) expect([setting, String(own[setting])]).toEqual([setting, String(value)]);
  });

  it('has the others call each service where it listens', () => {
    const callers = ['path', 'credential-vault', 'mcp-registry', 'adapters', 'portal'];
    for (const caller of callers) {
      for (const [name, variable] of Object.entries(urls)) {
        const port = environmentOf(name, environment)['PORT'];
        expect([caller, onPath[caller]?.environment?.[variable]]).toEqual([caller, `http://path:${port}`]);
      }
    }
    expect(onPath['python-runner']?.environment?.['ENGINE_URL']).toBe(onPath['portal']?.environment?.['ENGINE_URL']);
    const ports = path.flatMap((name) => {
      const { PORT, OPERATIONS_PORT } = environmentOf(name, environment);
      return [PORT, OPERATIONS_PORT];
    });
    expect(new Set(ports).size).toBe(2 * path.length);
  });
});
