import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { refuseOverridden } from '../../libs/database/src/env.js';
import { aclFile, passwordVariable, queuesOf, redisUser } from '../../scripts/launcher/redis-users.mjs';
import {
  composeServices,
  manifestsIn,
  read,
  redisUsersOfCompose,
  requiredSettings,
  runnableApps,
} from './manifests.js';

const services = composeServices();
/** Containers that exit when their work is done. */
const once = ['database-roles', 'migrate'];
const roles = { 'database-roles': { condition: 'service_completed_successfully' } };
const migrated = {
  migrate: { condition: 'service_completed_successfully' },
  postgres: { condition: 'service_healthy' },
};

const madeSettings = (): NodeJS.Dict<string> => {
  const script = fileURLToPath(new URL('../../scripts/make-secrets.mjs', import.meta.url));
  return parseEnv(spawnSync(process.execPath, [script], { encoding: 'utf8' }).stdout);
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

  it('lets settings.env set any other setting', () => {
    const ours = Object.entries(services).filter(([, { image }]) => image?.startsWith('gatehouse/'));
    const { gatehouse } = composeServices('docker-compose.small.yml');
    for (const [name, service] of [...ours, ['gatehouse', gatehouse] as const]) {
      expect([name, service?.env_file]).toEqual([name, [{ path: 'settings.env', required: false }]]);
    }
  });

  it('is described by .env.example, with every setting that it reads from .env', () => {
    const files = [
      'docker-compose.yml',
      'docker-compose.override.yml',
      'docker-compose.small.yml',
      'docker-compose.path.yml',
      'deploy/compose.tls.yml',
    ];
    const used = files.flatMap((file) => [...read(file).matchAll(/(?<!\$)\$\{([A-Z]\w*)/g)].map(([, name]) => name));
    const described = [...read('.env.example').matchAll(/^#?([A-Z]\w*)=/gm)].map(([, name]) => name);
    expect(new Set(described)).toEqual(new Set(used));
    expect(described.length).toBe(new Set(described).size);
  });

  it('refuses in settings.env what it sets itself', () => {
    const job = services['database-roles']?.environment ?? {};
    const entries = job['GATEHOUSE_NOT_IN_SETTINGS']?.split(/\s+/).map((entry) => entry.split(/=(.*)/)) ?? [];
    const names = new Set(entries.map(([name]) => name));
    const dockerfile = read('Dockerfile');
    for (const [name, value] of entries.filter(([, ofImage]) => ofImage !== undefined)) {
      expect(dockerfile).toContain(` ${name}=${value} `);
    }
    const set = runnableApps().flatMap((app) => Object.keys(services[app]?.environment ?? {}));
    // The image has these in every container, the job's too.
    const ofImage = ['PORT', 'HOST'];
    expect(names).toEqual(new Set(set.filter((name) => !ofImage.includes(name))));
    expect(Object.keys(job).filter((name) => names.has(name))).toEqual([]);
    expect(() =>
      refuseOverridden({ GATEHOUSE_NOT_IN_SETTINGS: 'LOG_LEVEL MODEL_NAME', TRACES_PERCENT: '7' }),
    ).not.toThrow();
    const theImages = { GATEHOUSE_NOT_IN_SETTINGS: 'NODE_OPTIONS=--a=8', NODE_OPTIONS: '--a=8' };
    expect(() => refuseOverridden(theImages)).not.toThrow();
    expect(() => refuseOverridden({ ...theImages, NODE_OPTIONS: '--a=9' })).toThrow(/sets NODE_OPTIONS/);
    const given = { GATEHOUSE_NOT_IN_SETTINGS: 'LOG_LEVEL MODEL_NAME PUBLIC_URL', LOG_LEVEL: 'debug', MODEL_NAME: '' };
    expect(() => refuseOverridden(given)).toThrow(
      /settings.env sets LOG_LEVEL, MODEL_NAME, which docker-compose.yml overrides/,
    );
  });

  it('gives each service as long to end as Kubernetes does', () => {
    for (const { manifest } of manifestsIn('k8s/base').filter(({ manifest }) => manifest.kind === 'Deployment')) {
      const { name } = manifest.metadata;
      const seconds = manifest.spec?.template?.spec.terminationGracePeriodSeconds;
      expect([name, services[name]?.stop_grace_period]).toEqual([name, `${seconds}s`]);
    }
  });

  it('starts nothing on a database that is not migrated', () => {
    const withDatabase = Object.entries(services).filter(([, { environment }]) => environment?.['DATABASE_URL']);
    for (const [name, { depends_on }] of withDatabase) {
      if (name === 'migrate') expect(depends_on).toEqual(roles);
      else expect(depends_on).toMatchObject(migrated);
    }
  });

  it('checks the health of each long-lived service', () => {
    for (const [name, { image, healthcheck }] of Object.entries(services)) {
      if (!image?.startsWith('gatehouse/')) expect(healthcheck?.test?.[0]).toBe('CMD');
      else expect(healthcheck?.disable ?? false).toBe(once.includes(name));
    }
    expect(read('Dockerfile')).toMatch(/^HEALTHCHECK [\s\S]*"bash"[\s\S]*\/health\/ready/m);
  });

  it('lets only those end that others wait for: else `up --wait` takes it for a failure', () => {
    const waitedFor = Object.values(services).flatMap(({ depends_on = {} }) =>
      Object.entries(depends_on).flatMap(([name, { condition }]) =>
        condition === 'service_completed_successfully' ? [name] : [],
      ),
    );
    expect([...new Set(waitedFor)].sort()).toEqual(once);
  });

  it('builds each tag once, and lets others use that build', () => {
    const builders = Object.values(services).flatMap(({ build, image }) => (build ? [image] : []));
    expect(new Set(builders).size).toBe(builders.length);
    for (const { build, image, pull_policy } of Object.values(services)) {
      if (!build && image?.startsWith('gatehouse/')) expect([image, pull_policy]).toEqual([builders.at(-1), 'never']);
    }
  });

  it('lets every service be scaled: no name and no port is fixed', () => {
    for (const [name, { ports, container_name }] of Object.entries(services)) {
      const published = ['postgres', 'redis'].includes(name)
        ? [expect.stringMatching(/^127\.0\.0\.1::\d+$/)]
        : undefined;
      expect([name, ports, container_name]).toEqual([name, published, undefined]);
    }
    expect(Object.keys(composeServices('docker-compose.override.yml'))).toEqual(['portal']);
  });

  it('keeps Redis from losing and from evicting data', () => {
    expect(services['redis']?.command?.join(' ')).toMatch(/--appendonly yes .*--maxmemory-policy noeviction/);
  });

  it('lets each service into its stores as itself, and none as an administrator', () => {
    const made = madeSettings();
    const filled = (text = ''): string =>
      text.replaceAll(/\$\{(\w+):\?[^}]*\}/g, (_, name: string) => made[name] ?? '');
    const passwords = JSON.parse(filled(services['database-roles']?.environment?.['GATEHOUSE_DATABASE_PASSWORDS']));
    const withStores = Object.keys(queuesOf);
    expect(Object.keys(passwords).sort()).toEqual(['owner', ...withStores].sort());
    expect(new Set(Object.values(passwords)).size).toBe(withStores.length + 1);
    for (const service of withStores) {
      const { DATABASE_URL, REDIS_URL } = services[service]?.environment ?? {};
      expect(filled(DATABASE_URL)).toBe(
        `postgres://${redisUser(service)}:${passwords[service]}@postgres:5432/gatehouse`,
      );
      expect(filled(REDIS_URL)).toMatch(new RegExp(`^redis://${redisUser(service)}:\\w{48}@redis:6379$`));
    }
    const asAdmin = Object.entries(services).filter(([, { environment }]) =>
      JSON.stringify(environment ?? {}).includes('POSTGRES_PASSWORD:'),
    );
    expect(asAdmin.map(([name]) => name).sort()).toEqual(['database-roles', 'postgres']);
    expect(filled(redisUsersOfCompose())).toBe(aclFile((user) => made[passwordVariable(user)] ?? '', 'plain'));
  });

  it('trusts no proxy by default, and publishes no operations port', () => {
    const file = read('docker-compose.yml');
    expect([...file.matchAll(/TRUSTED_PROXIES: (.*)/g)].map(([, value]) => value)).toEqual(['${TRUSTED_PROXIES:-}']);
    const files = [file, read('docker-compose.override.yml'), read('deploy/compose.tls.yml')];
    const published = files.flatMap((each) => [...each.matchAll(/ports: \[(.*)\]/g)].map(([, ports]) => ports));
    expect(published.length).toBeGreaterThan(3);
    for (const ports of published) expect(ports).not.toContain('9090');
  });

  it('has a default for no secret', () => {
    const uses = [
      ...read('docker-compose.yml').matchAll(
        /\$\{(\w*(?:PASSWORD|(?:SERVICE|WEBHOOK)_KEY|KEK|SECRET|ISSUERS)\w*)(.{2})/g,
      ),
    ];
    // A provider supplies the client's secret, if there is a provider.
    const made = uses.filter(([, name]) => name !== 'OIDC_CLIENT_SECRET');
    expect(new Set(made.map(([, name]) => name))).toEqual(new Set(Object.keys(madeSettings())));
    expect(new Set(made.map(([, , how]) => how))).toEqual(new Set([':?']));
  });

  it('gives each service a key of its own, which the others know by its issuers', () => {
    const settings = madeSettings();
    const issuers = JSON.parse(settings['GATEHOUSE_SERVICE_ISSUERS'] ?? '') as Record<string, { keys: object[] }>;
    const signing = Object.entries(services).filter(([, { environment }]) => environment?.['GATEHOUSE_SERVICE_KEY']);
    const keys = signing.map(([name, { environment }]) => {
      const variable = /^\$\{(\w+):/.exec(environment?.['GATEHOUSE_SERVICE_KEY'] ?? '')?.[1] ?? '';
      const { d, ...open } = JSON.parse(settings[variable] ?? '{}') as { d?: string };
      expect(d).toMatch(/^[\w-]{43}$/);
      expect(issuers[name]?.keys).toEqual([open]);
      return d;
    });
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.length).toBe(Object.keys(issuers).length);
    expect(JSON.stringify(issuers)).not.toContain('"d"');
  });
});
