import { memoryEnv, sharedBuffersMb } from '../../scripts/launcher/memory.mjs';
import { groupEnv, groupServices } from '../../scripts/launcher/service-group.mjs';
import { serviceEnv } from '../../scripts/launcher/service-env.mjs';
import { services } from '../../scripts/launcher/services.mjs';
import { composeServices, read } from '../deploy/manifests.js';

const envOf = (env: NodeJS.ProcessEnv, name: string, hosted: string[] = []): NodeJS.ProcessEnv => {
  const ports = Object.fromEntries(services.map((service, at) => [service.name, 1_000 + at]));
  const of = serviceEnv({ services, ports, stores: () => null, secrets: secrets, env });
  const group = groupServices(services, hosted).find((one) => one.services.some((service) => service.name === name));
  return groupEnv(group!, of);
};
const secrets = { kek: { kid: 'k', key: 'a' }, service_key: {}, adapter_secret: 'a', webhook_key: 'b' };
const key = { GATEHOUSE_SERVICE_KEY: '{}', GATEHOUSE_SERVICE_ISSUERS: '[]' };
const heapOf = (env: NodeJS.ProcessEnv): string | undefined =>
  /--max-old-space-size=(\d+)/.exec(env['NODE_OPTIONS'] ?? '')?.[1];

describe('the memory of npm start', () => {
  it('has a limit for the heap of each service, the python-runner too, and twice that for a host', () => {
    for (const { name } of services) expect([name, heapOf(envOf(key, name))]).toEqual([name, '512']);
    expect(heapOf(envOf(key, 'engine', ['engine', 'router']))).toBe('1024');
    const more = { ...key, SERVICE_HEAP_MB: '300' };
    expect([heapOf(envOf(more, 'router')), heapOf(envOf(more, 'engine', ['engine', 'router']))]).toEqual([
      '300',
      '600',
    ]);
    expect(envOf(key, 'python-runner')).toMatchObject({ MALLOC_ARENA_MAX: '2' });
  });

  it('is that of NODE_OPTIONS where the installation has its own', () => {
    const own = { ...key, NODE_OPTIONS: '--max-old-space-size=2048' };
    expect(envOf(own, 'router')['NODE_OPTIONS']).toBe(own.NODE_OPTIONS);
    expect(envOf(own, 'engine', ['engine', 'router'])['NODE_OPTIONS']).toBe(own.NODE_OPTIONS);
  });

  it('is refused where it is no number of megabytes, with what to give instead', () => {
    expect(() => memoryEnv({ SERVICE_HEAP_MB: '1GB' })).toThrow(
      'SERVICE_HEAP_MB is "1GB": give megabytes, a whole number from 128 to 65536',
    );
    expect(() => sharedBuffersMb({ POSTGRES_SHARED_BUFFERS_MB: '4' })).toThrow('from 16 to 1048576');
    expect([sharedBuffersMb({}), sharedBuffersMb({ POSTGRES_SHARED_BUFFERS_MB: '1024' })]).toEqual([256, 1_024]);
  });

  it('has the same limits with Docker Compose', () => {
    const ours = memoryEnv({})['NODE_OPTIONS'] ?? '';
    const withSetting = (name: string, value: string): string => ours.replace(/\d+$/, `\${${name}:-${value}}`);
    const { router, engine } = composeServices();
    for (const service of [router, engine])
      expect(service?.environment?.['NODE_OPTIONS']).toBe(withSetting('SERVICE_HEAP_MB', '512'));
    const hosts = [
      composeServices('docker-compose.small.yml')['gatehouse'],
      composeServices('docker-compose.path.yml')['path'],
    ];
    for (const host of hosts) expect(host?.environment?.['NODE_OPTIONS']).toBe(withSetting('HOST_HEAP_MB', '1024'));
    expect(read('docker-compose.yml')).toContain('shared_buffers=${POSTGRES_SHARED_BUFFERS_MB:-256}MB');
    expect(read('Dockerfile')).toContain(`MALLOC_ARENA_MAX=${memoryEnv({})['MALLOC_ARENA_MAX']}`);
  });
});
