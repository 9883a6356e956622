import { built, choices, describeBuilt, overlays } from './kustomize.js';
import { manifestsOf, read, type Manifest } from './manifests.js';
import { ofKind } from './objects.js';
import { complaint } from './schema.js';

const namespaced = ({ kind }: Manifest) => kind !== 'Namespace';
const named = (objects: Manifest[], kind: string) => objects.filter((each) => each.kind === kind);
const milli = (cpu = '0') => (cpu.endsWith('m') ? Number(cpu.slice(0, -1)) : Number(cpu) * 1_000);
const mebi = (memory = '0') => Number(memory.replace('Mi', '')) * (memory.endsWith('Gi') ? Number.NaN : 1);

/** Each installation's overlay with each component, and that of `npm run test:cluster`. */
const chosen: [string, string[]][] = [
  ...overlays.flatMap((overlay) => choices.map((more): [string, string[]] => [overlay, more])),
  ['test', []],
];

describeBuilt.each(chosen)('the overlay %s with %j', (overlay, more) => {
  let objects: Manifest[];
  beforeAll(() => {
    objects = built(overlay, more);
  });

  it('consists of valid objects, only in the namespace of Gatehouse', async () => {
    expect(objects.length).toBeGreaterThan(50);
    for (const object of objects) {
      expect([object.kind, object.metadata.name, await complaint(object)]).toEqual([
        object.kind,
        object.metadata.name,
        null,
      ]);
    }
    const elsewhere = objects.filter(namespaced).filter(({ metadata }) => metadata.namespace !== 'gatehouse');
    expect(elsewhere.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([]);
  });

  it('rolls pods when their settings change, and lets its Jobs be applied again', () => {
    const [settings] = named(objects, 'ConfigMap')
      .map(({ metadata }) => metadata.name)
      .filter((name) => name !== 'gatehouse-dashboards');
    expect(settings).toMatch(/^gatehouse-\w{10}$/);
    const deployments = named(objects, 'Deployment').filter(({ metadata }) => metadata.name !== 'mcp-sidecar');
    for (const { metadata, spec } of deployments) {
      const [container] = spec?.template?.spec.containers ?? [];
      expect([metadata.name, container?.envFrom]).toEqual([metadata.name, [{ configMapRef: { name: settings } }]]);
    }
    for (const { metadata, spec } of named(objects, 'Job')) {
      const tag = spec?.template?.spec.containers[0]?.image.split(':').at(-1);
      expect(metadata.name).toMatch(new RegExp(`-${tag}$`));
    }
  });
});

describeBuilt('the overlay production', () => {
  it('has another ConfigMap and another Job with another release', () => {
    const jobs = named(built('production', ['database-roles']), 'Job').map(({ metadata }) => metadata.name);
    expect(jobs.sort()).toEqual(['database-roles-0.1.0', 'migrate-0.1.0']);
  });

  it('keeps the allow-list of the ConfigMap where a service adds to it', () => {
    const objects = built('production', ['mcp-sidecar']);
    for (const [name, own] of [
      ['adapter-gateway', 'adapters:8080'],
      ['mcp-registry', 'mcp-sidecar:8080'],
    ]) {
      const deployment = named(objects, 'Deployment').find(({ metadata }) => metadata.name === name);
      const env = deployment?.spec?.template?.spec.containers[0]?.env ?? [];
      const allowed = env.findIndex((each) => each.name === 'ALLOWED');
      expect(env[allowed]?.valueFrom?.configMapKeyRef).toMatchObject({ key: 'GATEHOUSE_EGRESS_ALLOW' });
      expect(env[allowed]?.valueFrom?.configMapKeyRef?.name).toMatch(/^gatehouse-\w{10}$/);
      // Kubernetes expands variables that are defined before it.
      expect(env.slice(allowed)).toContainEqual({ name: 'GATEHOUSE_EGRESS_ALLOW', value: `${own},$(ALLOWED)` });
    }
  });
});

describeBuilt('a component that replaces a default', () => {
  const ids = (...more: string[]) => built('production', more).map(({ kind, metadata }) => `${kind} ${metadata.name}`);

  it('routes by Gateway API what the Ingress routes', () => {
    const objects = built('production', ['gateway-api']);
    expect(ids('gateway-api')).not.toContain('Ingress gatehouse');
    const [ingress] = named(built('production'), 'Ingress');
    const [route] = ofKind(objects, 'HTTPRoute');
    const routed = route?.spec.rules.map(({ matches, backendRefs }) => [matches[0]?.path.value, backendRefs[0]?.name]);
    expect(routed).toEqual(
      ingress?.spec?.rules?.[0]?.http.paths.map(({ path, backend }) => [path, backend.service.name]),
    );
    for (const { backendRefs } of route?.spec.rules ?? []) {
      const service = named(objects, 'Service').find(({ metadata }) => metadata.name === backendRefs[0]?.name);
      expect(service?.spec?.ports?.map(({ port }) => port)).toContain(backendRefs[0]?.port);
    }
  });

  it('scrapes pods or Services, not both, by a port and labels that pods have', () => {
    expect(ids('monitoring')).toContain('ServiceMonitor gatehouse');
    const objects = built('production', ['monitoring', 'pod-monitor']);
    expect(named(objects, 'ServiceMonitor')).toEqual([]);
    const [monitor] = ofKind(objects, 'PodMonitor');
    for (const { spec } of named(objects, 'Deployment')) {
      expect(spec?.template?.metadata.labels).toMatchObject(monitor?.spec.selector.matchLabels ?? {});
      const ports = spec?.template?.spec.containers[0]?.ports?.map(({ name }) => name);
      expect(ports).toContain(monitor?.spec.podMetricsEndpoints[0]?.port);
    }
  });

  it('has an ExternalSecret for each Secret that the pods refer to', () => {
    const others = ['database-roles', 'mcp-sidecar', 'model', 'single-sign-on'];
    const beside = others.map((name) => `external-secrets/${name}`);
    const objects = built('production', ['external-secrets', ...others, ...beside]);
    const used = [...named(objects, 'Deployment'), ...named(objects, 'Job')].flatMap(({ spec }) =>
      (spec?.template?.spec.containers[0]?.env ?? []).flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.name ?? []),
    );
    const made = ofKind(objects, 'ExternalSecret');
    expect(made.map(({ metadata }) => metadata.name).sort()).toEqual([...new Set(used)].sort());
    for (const { metadata, spec } of made) {
      expect(spec.dataFrom).toEqual([{ extract: { key: `gatehouse/${metadata.name}` } }]);
    }
  });

  it('has an example of a store that the operator understands', async () => {
    for (const object of manifestsOf(read('k8s/components/external-secrets/store.example.yaml')))
      expect(await complaint(object)).toBeNull();
  });
});

describeBuilt('the overlay dev', () => {
  it('fits two cores and 4 GB, while every Deployment rolls', () => {
    const objects = built('dev');
    const requests = (kind: string) =>
      named(objects, kind).flatMap(({ spec }) =>
        (spec?.template?.spec.containers ?? []).map(({ resources }) => resources?.requests),
      );
    const all = [...requests('Deployment'), ...requests('Deployment'), ...requests('StatefulSet'), ...requests('Job')];
    expect(named(objects, 'HorizontalPodAutoscaler')).toEqual([]);
    // The rest is used by the node and the cluster: about half a core and 1 GB of a small one.
    expect(all.reduce((sum, each) => sum + milli(each?.cpu), 0)).toBeLessThanOrEqual(1_400);
    expect(all.reduce((sum, each) => sum + mebi(each?.memory), 0)).toBeLessThanOrEqual(3_200);
  });
});
