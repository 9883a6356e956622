import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { queuesOf } from '../../scripts/launcher/redis-users.mjs';
import {
  baseSettings,
  manifestsIn,
  manifestsOf,
  read,
  requiredSettings,
  runnableApps,
  type Container,
  type Manifest,
} from './manifests.js';
import { complaint } from './schema.js';

const base = manifestsIn('k8s/base');
const all = base.map(({ manifest }) => manifest);
const ofKind = (kind: string) => all.filter((manifest) => manifest.kind === kind);
const named = (kind: string, name: string) => ofKind(kind).find((manifest) => manifest.metadata.name === name);
const deployments = ofKind('Deployment').map((manifest) => manifest.metadata.name);

const containerOf = (manifest: Manifest | undefined): Container => {
  const container = manifest?.spec?.template?.spec.containers[0];
  if (!container) throw new Error(`${manifest?.metadata.name ?? 'it'} has no container`);
  return container;
};
const secretsOf = (manifest: Manifest) =>
  (containerOf(manifest).env ?? []).flatMap(({ valueFrom }) =>
    valueFrom?.secretKeyRef ? [valueFrom.secretKeyRef] : [],
  );

describe('each object of k8s/base', () => {
  it.each(
    base.map(({ file, manifest }) => [`${manifest.kind} ${manifest.metadata.name} (${file})`, manifest] as const),
  )('%s is valid', async (_title, manifest) => expect(await complaint(manifest)).toBeNull());

  it('would be refused if it were wrong', async () => {
    const wrong = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { ports: [{ port: 'http' }] } };
    expect(await complaint(manifestsOf(JSON.stringify(wrong))[0]!)).toMatch(/port/);
  });

  it('is listed once, and its file is part of the base', () => {
    const ids = all.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { file } of base) expect(read('k8s/base/kustomization.yaml')).toContain(`  - ${file}\n`);
  });
});

describe('every app that runs', () => {
  it.each(runnableApps().map((app) => [app]))('%s is deployed with the settings that it needs', (app) => {
    const container = containerOf(named('Deployment', app));
    const settings = Object.keys(baseSettings());
    const given = [...settings, ...(container.env ?? []).map(({ name }) => name)];
    expect(given).toEqual(expect.arrayContaining(requiredSettings(app)));
  });
});

describe('a service with a schema', () => {
  it.each(Object.keys(queuesOf))('%s starts when its schema is migrated, by its own role', (name) => {
    const [migrated] = named('Deployment', name)?.spec?.template?.spec.initContainers ?? [];
    const entry = migrated?.command?.at(-2) ?? '';
    expect(migrated?.command?.at(-1)).toBe(name);
    expect(read(entry.replace(/^dist\/(.*)\.js$/, '$1.ts'))).toContain('wait-migrated <service>');
    expect(migrated?.image).toBe(`gatehouse/${name}`);
    expect(migrated?.env?.[0]?.valueFrom?.secretKeyRef).toEqual({ name: `${name}-stores`, key: 'DATABASE_URL' });
  });
});

describe('a pod that keeps nothing on its node', () => {
  const components = ['database-roles/database-roles.yaml', 'mcp-sidecar/mcp-sidecar.yaml'];
  const pods = [...all, ...components.flatMap((file) => manifestsOf(read(`k8s/components/${file}`)))].filter(
    ({ kind }) => kind === 'Deployment' || kind === 'Job',
  );
  it.each(pods.map((pod) => [pod.metadata.name, pod] as const))('%s leaves a dead node within 30 s', (_name, pod) => {
    const tolerations = pod.spec?.template?.spec.tolerations ?? [];
    expect(tolerations.map(({ key }) => key)).toEqual([
      'node.kubernetes.io/unreachable',
      'node.kubernetes.io/not-ready',
    ]);
    for (const { operator, effect, tolerationSeconds } of tolerations) {
      expect([operator, effect]).toEqual(['Exists', 'NoExecute']);
      expect(tolerationSeconds).toBeGreaterThanOrEqual(15);
      expect(tolerationSeconds).toBeLessThanOrEqual(30);
    }
  });
});

describe('a Job', () => {
  it.each(ofKind('Job').map((job) => [job.metadata.name, job] as const))('%s may be applied again', (name, job) => {
    // Overlays name it by release, and only a release changes it.
    expect(name).toMatch(/-release$/);
    expect(containerOf(job).envFrom).toBeUndefined();
  });

  const roles = manifestsOf(read('k8s/components/database-roles/database-roles.yaml'));
  const jobs = [...all, ...roles].filter(({ kind }) => kind === 'Job');
  it.each(jobs.map((job) => [job.metadata.name, job] as const))(
    '%s waits for Postgres with the role it works as',
    (_name, job) => {
      const [login] = job.spec?.template?.spec.initContainers ?? [];
      expect(login?.command?.slice(-3, -1)).toEqual(['dist/libs/database/src/wait-migrated.js', '--login']);
      expect(login?.image).toBe(containerOf(job).image);
      expect(secretsOf(job)).toContainEqual(login?.env?.[0]?.valueFrom?.secretKeyRef);
    },
  );
});

describe.each(deployments)('%s', (name) => {
  const deployment = named('Deployment', name);
  const labels = deployment?.spec?.template?.metadata.labels ?? {};
  const container = containerOf(deployment);

  it('is found by its Service, budget and autoscaler', () => {
    expect(labels).toMatchObject(deployment?.spec?.selector?.matchLabels ?? { none: '' });
    expect(labels).toMatchObject(named('Service', name)?.spec?.selector ?? { none: '' });
    expect(labels).toMatchObject(named('PodDisruptionBudget', name)?.spec?.selector?.matchLabels ?? { none: '' });
    expect(named('HorizontalPodAutoscaler', name)?.spec?.scaleTargetRef?.name).toBe(name);
    expect(named('ServiceAccount', name)).toBeDefined();
    expect(deployment?.spec?.template?.spec.serviceAccountName).toBe(name);
  });

  it('listens on the port that all others use', () => {
    const port = Number(baseSettings()['PORT']);
    expect(container.ports).toEqual([
      { name: 'http', containerPort: port },
      { name: 'operations', containerPort: 9090 },
    ]);
    expect(named('Service', name)?.spec?.ports).toEqual([
      { name: 'http', port, targetPort: 'http' },
      { name: 'operations', port: 9090, targetPort: 'operations' },
    ]);
    expect(Object.values(baseSettings())).toContain(`http://${name}:${port}`);
  });

  it('has the pods of one rollout on different nodes, also where nodes have no zone', () => {
    const { topologySpreadConstraints = [], affinity } = deployment?.spec?.template?.spec ?? {};
    const [zone, ...more] = affinity?.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    expect(more).toEqual([]);
    // Nodes that lack the label of one constraint are left out of all of them.
    expect(topologySpreadConstraints.map(({ topologyKey }) => topologyKey)).toEqual(['kubernetes.io/hostname']);
    expect(zone?.podAffinityTerm.topologyKey).toBe('topology.kubernetes.io/zone');
    for (const term of [...topologySpreadConstraints, zone?.podAffinityTerm]) {
      expect(term?.matchLabelKeys).toEqual(['pod-template-hash']);
      expect(term?.labelSelector).toEqual(deployment?.spec?.selector);
    }
  });

  it('has separate startup, liveness and readiness probes, and cannot write to its image', () => {
    expect(container.startupProbe?.httpGet.path).toBe('/health/live');
    const { periodSeconds = 0, failureThreshold = 0 } = container.startupProbe ?? {};
    // A start that is killed on a busy node begins anew.
    expect(periodSeconds * failureThreshold).toBeGreaterThanOrEqual(300);
    expect(container.livenessProbe?.httpGet.path).toBe('/health/live');
    expect(container.readinessProbe?.httpGet.path).toBe('/health/ready');
    expect(container.securityContext?.readOnlyRootFilesystem).toBe(true);
    expect(container.image).toBe(`gatehouse/${name}`);
  });
});

describe('secrets', () => {
  const workloads = [...ofKind('Deployment'), ...ofKind('Job')];
  const holders = (secret: string) =>
    workloads
      .filter((each) => secretsOf(each).some(({ name }) => name === secret))
      .map(({ metadata }) => metadata.name);

  /** Of the dev overlay's stores, and of the component that creates their roles. */
  const ofStores = [
    'database-admin.POSTGRES_PASSWORD',
    'database-admin.DATABASE_ADMIN_URL',
    'database-admin.GATEHOUSE_DATABASE_PASSWORDS',
    'redis-users.users.acl',
    'redis-users.REDISCLI_AUTH',
  ];

  it('are all in the example', () => {
    const example = manifestsOf(read('k8s/secrets.example.yaml')) as (Manifest & { stringData: object })[];
    const keys = example.flatMap(({ metadata, stringData }) =>
      Object.keys(stringData).map((key) => `${metadata.name}.${key}`),
    );
    const used = workloads.flatMap(secretsOf).map(({ name, key }) => `${name}.${key}`);
    expect([...new Set([...used, ...ofStores])].sort()).toEqual(keys.sort());
  });

  it('are given only to those that need them', () => {
    expect(holders('gatehouse-kek')).toEqual(['credential-vault']);
    expect(holders('gatehouse-adapter').sort()).toEqual(['adapter-gateway', 'adapters']);
    expect(holders('database-owner')).toEqual(['migrate-release']);
    expect(holders('database-admin')).toEqual([]);
    const python = containerOf(named('Deployment', 'python-runner')).env ?? [];
    expect(python.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.key ?? [])).toEqual([
      'GATEHOUSE_SERVICE_ISSUERS',
    ]);
  });

  it('let each service into the stores only as itself', () => {
    for (const service of Object.keys(queuesOf)) {
      expect([service, holders(`${service}-stores`)]).toEqual([service, [service]]);
    }
    const withDatabase = workloads.filter((each) => secretsOf(each).some(({ key }) => key === 'DATABASE_URL'));
    for (const each of withDatabase) {
      const { name = '' } = secretsOf(each).find(({ key }) => key === 'DATABASE_URL') ?? {};
      const owner = each.metadata.name === 'migrate-release';
      expect(name).toBe(owner ? 'database-owner' : `${each.metadata.name}-stores`);
    }
  });

  it('give each service a key of its own', () => {
    const signing = workloads.filter((each) => secretsOf(each).some(({ key }) => key === 'GATEHOUSE_SERVICE_KEY'));
    for (const { metadata } of signing) {
      expect(holders(`${metadata.name}-key`)).toEqual([metadata.name]);
      expect(holders('gatehouse-service-issuers')).toContain(metadata.name);
    }
    expect(signing.length).toBeGreaterThan(4);
  });

  it('are printed by make-secrets', () => {
    const script = fileURLToPath(new URL('../../scripts/make-secrets.mjs', import.meta.url));
    const made = spawnSync(process.execPath, [script, '--kubernetes'], { encoding: 'utf8' }).stdout;
    const names = manifestsOf(made).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    const used = new Set(workloads.flatMap(secretsOf).map(({ name }) => `Secret ${name}`));
    expect(names.sort()).toEqual([...used, 'Secret database-admin', 'Secret redis-users'].sort());
  });
});

describe('the network', () => {
  it('is closed except for what is opened', () => {
    const deny = named('NetworkPolicy', 'default-deny')?.spec;
    expect(deny).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
  });

  it('lets only the gateway reach the adapters', () => {
    const from = named('NetworkPolicy', 'to-adapters')?.spec?.ingress?.[0]?.from?.[0]?.podSelector?.matchExpressions;
    expect(from?.[0]?.values).toEqual(['adapter-gateway']);
  });

  it('lets Python tools be called by two services and call back one', () => {
    const callers = named('NetworkPolicy', 'to-python-runner')?.spec?.ingress?.[0]?.from?.[0]?.podSelector;
    expect(callers?.matchExpressions?.[0]?.values).toEqual(['engine', 'mcp-registry']);
    const python = { 'app.kubernetes.io/name': 'python-runner' };
    const own = named('NetworkPolicy', 'from-python-runner')?.spec;
    expect(own?.podSelector?.matchLabels).toEqual(python);
    const engine = { 'app.kubernetes.io/name': 'engine' };
    expect(own?.egress).toEqual([
      { to: [{ podSelector: { matchLabels: engine } }], ports: [{ protocol: 'TCP', port: 8080 }] },
    ]);
    const others = named('NetworkPolicy', 'between-services')?.spec?.podSelector?.matchExpressions;
    expect(others?.find(({ operator }) => operator === 'NotIn')?.values).toContain('python-runner');
    const labels = named('Deployment', 'python-runner')?.spec?.template?.metadata.labels ?? {};
    expect(Object.keys(labels)).toEqual(['app.kubernetes.io/name', 'app.kubernetes.io/part-of']);
  });

  it('allows DNS for all except what runs Python tools, which has the address of the engine', () => {
    expect(named('NetworkPolicy', 'names')?.spec?.podSelector?.matchExpressions).toEqual([
      { key: 'app.kubernetes.io/name', operator: 'NotIn', values: ['python-runner'] },
    ]);
    const python = named('Deployment', 'python-runner');
    expect(containerOf(python).env?.find(({ name }) => name === 'ENGINE_URL')?.value).toBe(
      'http://$(ENGINE_SERVICE_HOST):8080',
    );
    // Without service links, Kubernetes sets no variables with the addresses of Services.
    expect(python?.spec?.template?.spec.enableServiceLinks).toBe(true);
  });

  it('lets mail servers, poolers and NodeLocal DNS be reached', () => {
    const portsOf = (name: string) => named('NetworkPolicy', name)?.spec?.egress?.[0]?.ports?.map(({ port }) => port);
    expect(portsOf('to-internet')).toEqual([443, 80, 465, 587, 993, 143]);
    expect(portsOf('to-stores')).toEqual(expect.arrayContaining([5432, 6432, 6379, 26379]));
    expect(named('NetworkPolicy', 'names')?.spec?.egress?.[0]?.to?.[1]?.ipBlock?.cidr).toBe('169.254.20.10/32');
  });

  it('names only pods that exist', () => {
    const pods = ofKind('Deployment').map(({ metadata }) => metadata.name);
    const mentioned = [
      ...read('k8s/base/network-policies.yaml').matchAll(
        /app\.kubernetes\.io\/name, operator: \w+, values: \[(.*?)\]/g,
      ),
    ];
    expect(mentioned.length).toBeGreaterThan(3);
    for (const [, names = ''] of mentioned) expect(pods).toEqual(expect.arrayContaining(names.split(', ')));
  });

  it('sends webhooks to the ingress and the rest to the portal', () => {
    const paths = named('Ingress', 'gatehouse')?.spec?.rules?.[0]?.http.paths ?? [];
    expect(paths.map(({ path, backend }) => [path, backend.service.name])).toEqual([
      ['/api/v1/webhooks', 'webhook-ingress'],
      ['/', 'portal'],
    ]);
  });
});
