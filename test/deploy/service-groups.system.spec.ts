import { environmentOf } from '../../apps/host/src/env.js';
import { hostedServices as hostable, path } from '../../apps/host/src/hosted-services.js';
import { groupEnv, groupServices, hostedServices } from '../../scripts/launcher/service-group.mjs';
import { services } from '../../scripts/launcher/services.mjs';

describe('the processes of npm start', () => {
  const hosted = hostedServices(services, {}, ['--small']);
  const processes = (env: NodeJS.ProcessEnv, args: string[] = []): string[] =>
    groupServices(services, hostedServices(services, env, args)).map(({ name }) => name);

  it('are one per service, unless services are to share one', () => {
    expect(processes({})).toEqual(services.map(({ name }) => name));
    expect(processes({}, ['--small'])).toEqual(['host', 'python-runner']);
    expect(processes({ GATEHOUSE_SERVICES: 'all' })).toEqual(['host', 'python-runner']);
    const onPath = groupServices(services, hostedServices(services, { GATEHOUSE_SERVICES: 'path' }, []));
    expect(onPath[0]?.services.map(({ name }) => name)).toEqual(path);
    const some = groupServices(services, hostedServices(services, { GATEHOUSE_SERVICES: 'engine, router' }, []));
    expect(some[0]).toMatchObject({ name: 'host', services: [{ name: 'router' }, { name: 'engine' }] });
    expect(some).toHaveLength(services.length - 1);
  });

  it('host what the host knows, and nothing that must be a process of its own', () => {
    expect([...hosted].sort()).toEqual(Object.keys(hostable).sort());
    expect(() => processes({ GATEHOUSE_SERVICES: 'router,python-runner' })).toThrow(/names python-runner: .*router/);
  });

  it('give each hosted service the environment that its own process would have', () => {
    const envOf = (name: string): NodeJS.ProcessEnv => ({
      PATH: '/bin',
      PORT: String(services.findIndex((service) => service.name === name)),
      DATABASE_URL: name === 'adapters' ? undefined : `postgres://${name}`,
      ...(name === 'credential-vault' ? { GATEHOUSE_KEK_RING: 'of the vault' } : {}),
    });
    const [group] = groupServices(services, hosted);
    const env = groupEnv(group!, envOf);
    expect(env['GATEHOUSE_SERVICES']).toBe(hosted.join(','));
    expect(env['GATEHOUSE_KEK_RING']).toBeUndefined();
    for (const name of hosted) {
      const { PATH, PORT, DATABASE_URL, GATEHOUSE_KEK_RING } = environmentOf(name, env);
      expect({ PATH, PORT, DATABASE_URL, GATEHOUSE_KEK_RING }).toEqual({
        GATEHOUSE_KEK_RING: undefined,
        ...envOf(name),
      });
    }
  });
});
