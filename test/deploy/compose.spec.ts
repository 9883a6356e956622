import { composeServices, manifestsIn, read, requiredSettings, runnableApps } from './manifests.js';

const services = composeServices();
const migrated = {
  migrate: { condition: 'service_completed_successfully' },
  postgres: { condition: 'service_healthy' },
};

describe('docker-compose.yml', () => {
  it('runs the same apps as Kubernetes', () => {
    const built = Object.entries(services).flatMap(([name, { build }]) => (build?.args.APP === name ? [name] : []));
    const deployed = manifestsIn('k8s/base').filter(({ manifest }) => manifest.kind === 'Deployment');
    expect(built.sort()).toEqual(deployed.map(({ manifest }) => manifest.metadata.name).sort());
  });

  it.each(runnableApps().map((app) => [app]))('gives %s the settings that it needs', (app) => {
    expect(Object.keys(services[app]?.environment ?? {})).toEqual(expect.arrayContaining(requiredSettings(app)));
  });

  it('starts nothing on a database that is not migrated', () => {
    const withDatabase = Object.entries(services).filter(([, { environment }]) => environment?.['DATABASE_URL']);
    for (const [name, { depends_on }] of withDatabase) {
      if (name === 'migrate') expect(depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
      else if (name !== 'bootstrap') expect(depends_on).toMatchObject(migrated);
    }
    expect(services['bootstrap']?.depends_on).toEqual({ portal: { condition: 'service_healthy' } });
  });

  it('asks each long-lived service for its health', () => {
    for (const [name, { build, healthcheck }] of Object.entries(services)) {
      if (!build) expect(healthcheck?.test?.[0]).toBe('CMD');
      else expect(healthcheck?.disable ?? false).toBe(['migrate', 'bootstrap'].includes(name));
    }
    expect(read('Dockerfile')).toMatch(/^HEALTHCHECK [\s\S]*\/health\/live/m);
  });

  it('keeps Redis from forgetting and from evicting', () => {
    expect(services['redis']?.command?.join(' ')).toMatch(/--appendonly yes .*--maxmemory-policy noeviction/);
  });

  it('has a default for no secret', () => {
    const secrets = ['POSTGRES_PASSWORD', 'GATEHOUSE_SERVICE_KEY', 'GATEHOUSE_KEK_RING', 'GATEHOUSE_ADAPTER_SECRET'];
    for (const name of secrets) {
      const uses = [...read('docker-compose.yml').matchAll(new RegExp(`\\$\\{${name}(.{2})`, 'g'))].map(
        ([, how]) => how,
      );
      expect(uses.length).toBeGreaterThan(0);
      expect(new Set(uses)).toEqual(new Set([':?']));
    }
  });
});
