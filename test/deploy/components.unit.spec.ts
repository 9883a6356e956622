import { parse } from 'yaml';
import { manifestsIn, manifestsOf, read, runnableApps, type Manifest } from './manifests.js';
import { built, describeBuilt } from './kustomize.js';
import { ofKind } from './objects.js';
import { complaint } from './schema.js';

interface Component {
  resources?: string[];
  patches?: { path?: string; patch?: string; target: { kind: string; name: string } }[];
}
const base = manifestsIn('k8s/base').map(({ manifest }) => manifest);
const componentOf = (name: string) => parse(read(`k8s/components/${name}/kustomization.yaml`)) as Component;
const resourcesOf = (name: string): Manifest[] =>
  (componentOf(name).resources ?? []).flatMap((file) => manifestsOf(read(`k8s/components/${name}/${file}`)));
const isTarget = ({ kind, name }: { kind: string; name: string }, manifest: Manifest): boolean =>
  manifest.kind === kind && new RegExp(`^(${name})$`).test(manifest.metadata.name);

/** The production overlay with a component. */
const patched = (name: string): Manifest[] => built('production', [name]);

describe('the component database-roles', () => {
  it('consists of valid objects, and has the administrator only for itself', async () => {
    const made = resourcesOf('database-roles');
    for (const manifest of made)
      expect([manifest.metadata.name, await complaint(manifest)]).toMatchObject([
        expect.stringMatching(/^database-roles/),
        null,
      ]);
    const job = made.find(({ kind }) => kind === 'Job');
    const secrets = job?.spec?.template?.spec.containers[0]?.env?.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name);
    expect(secrets).toEqual(['database-admin', 'database-admin']);
    expect(job?.spec?.template?.metadata.labels).toMatchObject({ 'gatehouse.dev/stores': 'true' });
  });
});

describeBuilt('the component cluster-tokens', () => {
  let manifests: Manifest[] = [];
  beforeAll(() => {
    manifests = patched('cluster-tokens');
  });
  const envOf = (app: string) =>
    manifests
      .find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === app)
      ?.spec?.template?.spec.containers[0]?.env?.map(({ name }) => name);

  it('consists of valid objects', async () => {
    for (const manifest of manifests) {
      expect([manifest.metadata.name, await complaint(manifest)]).toEqual([manifest.metadata.name, null]);
    }
  });

  it('lets services present and accept tokens, the portal only accept them, and the adapters neither', () => {
    const signing = runnableApps().filter((app) => envOf(app)?.includes('GATEHOUSE_SERVICE_KEY'));
    for (const app of signing) {
      expect(envOf(app)).toEqual(expect.arrayContaining(['KUBERNETES_JWKS_TOKEN_FILE', 'NODE_EXTRA_CA_CERTS']));
      expect([app, envOf(app)?.includes('KUBERNETES_TOKEN_DIR')]).toEqual([app, app !== 'portal']);
    }
    expect(signing.length).toBeGreaterThan(4);
    expect(envOf('adapters')?.some((name) => name.startsWith('KUBERNETES'))).toBe(false);
    const tokens = read('k8s/components/cluster-tokens/show.yaml').matchAll(
      /path: (\S+), audience: 'gatehouse:(\S+)'/g,
    );
    const named = [...tokens].map(([, path, audience]) => [path, audience]);
    expect(named.sort()).toEqual(signing.map((app) => [app, app]).sort());
  });
});

describeBuilt('the component single-sign-on', () => {
  it('consists of valid objects, and lets only the portal reach the provider with the secret', async () => {
    const secret = manifestsOf(read('k8s/components/single-sign-on/secret.example.yaml'));
    const manifests = patched('single-sign-on');
    for (const manifest of [...manifests, ...secret]) {
      expect([manifest.metadata.name, await complaint(manifest)]).toEqual([manifest.metadata.name, null]);
    }
    const portal = manifests.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'portal');
    expect(portal?.spec?.template?.metadata.labels).toMatchObject({ 'gatehouse.dev/internet': 'true' });
    expect(portal?.spec?.template?.spec.containers[0]?.env).toContainEqual({
      name: 'OIDC_CLIENT_SECRET',
      valueFrom: { secretKeyRef: { name: 'single-sign-on', key: 'OIDC_CLIENT_SECRET' } },
    });
  });
});

describeBuilt('the component moves', () => {
  it('lets the portal reach other installations, and changes nothing else', () => {
    const before = built('production').map((manifest) => JSON.stringify(manifest));
    const changed = patched('moves').filter((manifest) => !before.includes(JSON.stringify(manifest)));
    expect(changed.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(['Deployment portal']);
    expect(changed[0]?.spec?.template?.metadata.labels).toMatchObject({ 'gatehouse.dev/internet': 'true' });
  });
});

describeBuilt('the component model', () => {
  it('consists of valid objects, and gives the endpoint and its key to the engine alone', async () => {
    const secret = manifestsOf(read('k8s/components/model/secret.example.yaml'));
    const manifests = patched('model');
    for (const manifest of [...manifests, ...secret]) {
      expect([manifest.metadata.name, await complaint(manifest)]).toEqual([manifest.metadata.name, null]);
    }
    const holders = manifests.filter((each) => JSON.stringify(each).includes('MODEL_'));
    expect(holders.map(({ kind, metadata }) => [kind, metadata.name])).toEqual([['Deployment', 'engine']]);
    const pod = holders[0]?.spec?.template;
    expect(pod?.metadata.labels).toMatchObject({ 'gatehouse.dev/internet': 'true' });
    const given = (pod?.spec.containers[0]?.env ?? []).filter(({ name }) => name.startsWith('MODEL_'));
    expect(given.at(-1)).toEqual({
      name: 'MODEL_API_KEY',
      valueFrom: { secretKeyRef: { name: 'model', key: 'MODEL_API_KEY' } },
    });
    const source = read('apps/engine/src/env.ts');
    for (const { name } of given) expect(source).toContain(`  ${name}: `);
    expect(given.map(({ name }) => name)).toEqual(['MODEL_BASE_URL', 'MODEL_NAME', 'MODEL_API_KEY']);
  });
});

describeBuilt('the component mcp-sidecar', () => {
  const resources = resourcesOf('mcp-sidecar');
  const named = (kind: string, name: string) =>
    resources.find((one) => one.kind === kind && one.metadata.name === name);
  const deployment = named('Deployment', 'mcp-sidecar');
  const pod = { 'app.kubernetes.io/name': 'mcp-sidecar' };

  it('consists of valid objects, and has an example of its Secret', async () => {
    const secret = manifestsOf(read('k8s/components/mcp-sidecar/secret.example.yaml'));
    for (const manifest of [...patched('mcp-sidecar'), ...secret]) {
      expect([manifest.metadata.name, await complaint(manifest)]).toEqual([manifest.metadata.name, null]);
    }
  });

  it('can be reached by the registry, which may call it, and by nobody else', () => {
    expect(named('NetworkPolicy', 'to-mcp-sidecar')?.spec?.ingress?.[0]?.from).toEqual([
      { podSelector: { matchLabels: { 'app.kubernetes.io/name': 'mcp-registry' } } },
    ]);
    const registry = patched('mcp-sidecar').find(
      (one) => one.kind === 'Deployment' && one.metadata.name === 'mcp-registry',
    );
    expect(registry?.spec?.template?.spec.containers[0]?.env).toContainEqual({
      name: 'GATEHOUSE_EGRESS_ALLOW',
      value: 'mcp-sidecar:8080,$(ALLOWED)',
    });
    expect(named('Service', 'mcp-sidecar')?.spec?.ports?.[0]?.port).toBe(8080);
  });

  it('has no label that allows egress, no key of ours, and what it needs to start', () => {
    expect(deployment?.spec?.template?.metadata.labels).toEqual(pod);
    const container = deployment?.spec?.template?.spec.containers[0];
    const settings = container?.env?.map(({ name }) => name) ?? [];
    const source = read('apps/mcp-registry/src/sidecar/env.ts');
    for (const name of settings) expect(source).toContain(`  ${name}: `);
    expect(settings).toEqual(expect.arrayContaining(['MCP_SIDECAR_FILE', 'MCP_SIDECAR_TOKEN']));
    const entry = container?.command?.at(-1)?.replace(/^dist\/(.*)\.js$/, '$1.ts') ?? '';
    expect(read(entry)).toContain('createSidecar');
  });
});

describe('the component monitoring', () => {
  const resources = resourcesOf('monitoring');
  it('scrapes the port that the Services have', () => {
    const scraped = ofKind(resources, 'ServiceMonitor')[0]?.spec.endpoints[0]?.port;
    expect(scraped).toBe('operations');
    for (const { spec } of base.filter(({ kind }) => kind === 'Service')) {
      expect(spec?.ports).toContainEqual(expect.objectContaining({ name: scraped }));
    }
  });

  it('scales by queues that the app consumes, and by one autoscaler', () => {
    const removed = componentOf('monitoring').patches?.[0];
    expect(removed?.patch).toContain('$patch: delete');
    for (const { metadata, spec } of ofKind(resources, 'ScaledObject')) {
      expect(removed && isTarget(removed.target, { kind: 'HorizontalPodAutoscaler', apiVersion: '', metadata })).toBe(
        true,
      );
      expect(spec.scaleTargetRef.name).toBe(metadata.name);
      const query = String(spec.triggers.at(-1)?.metadata.query);
      const queues = /queue=~"([\w|]+)"/.exec(query)?.[1]?.split('|') ?? [];
      const consumed = /consumes: \[(.*)\]/.exec(read(`apps/${metadata.name}/src/service.ts`))?.[1] ?? '';
      expect(queues.length).toBeGreaterThan(0);
      for (const queue of queues) expect(consumed).toContain(`'${queue}'`);
    }
    expect(removed?.target.name.split('|').sort()).toEqual(
      ofKind(resources, 'ScaledObject')
        .map(({ metadata }) => metadata.name)
        .sort(),
    );
  });
});
