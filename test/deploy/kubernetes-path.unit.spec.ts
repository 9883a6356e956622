import { environmentOf } from '../../apps/host/src/env.js';
import { path } from '../../apps/host/src/hosted-services.js';
import { mayReach } from '../../scripts/cluster/policies.mjs';
import { describeRendered, rendered } from './helm.js';
import { built, describeBuilt } from './kustomize.js';
import { baseSettings, requiredSettings, runnableApps, type Container, type Manifest } from './manifests.js';
import { appOf, find, id, ofKind, podOf } from './objects.js';

const on = { enabled: true };
const apart = runnableApps().filter((name) => !path.includes(name));
const others = ['cluster-tokens', 'model', 'monitoring', 'path/monitoring', 'pod-monitor'];
const [describeEach] = [describeRendered === describe ? describeBuilt : describe.skip];

/** A setting's value, or the key of a Secret or ConfigMap that it comes from, as the process gets it. */
function environmentIn({ env = [] }: Container): Record<string, string> {
  return Object.fromEntries(
    env.map(({ name, value, valueFrom }) => {
      const from = valueFrom?.secretKeyRef ?? valueFrom?.configMapKeyRef;
      // The name of the ConfigMap depends on its content.
      return [name, value ?? `${valueFrom?.secretKeyRef ? from?.name : 'ConfigMap'}/${from?.key}`];
    }),
  );
}

describeEach.each<[string, (all: boolean) => Manifest[]]>([
  ['component', (all) => built('production', ['path', ...(all ? others : [])])],
  [
    'value of the chart',
    (all) => {
      const more = { clusterTokens: on, model: on, queueScaling: on, monitoring: { podMonitor: on } };
      return rendered({ path: on, ...(all ? more : {}) });
    },
  ],
])('the %s `path`', (_title, make) => {
  let objects: Manifest[];
  beforeAll(() => {
    objects = make(false);
  });
  const portOf = (name: string) => Number(environmentIn(appOf(objects, 'path'))[`${variable(name)}_PORT`] ?? 8080);
  const operationsPortOf = (name: string) =>
    Number(environmentIn(appOf(objects, 'path'))[`${variable(name)}_OPERATIONS_PORT`] ?? 9090);
  const variable = (name: string) => name.toUpperCase().replaceAll('-', '_');

  it('replaces the Deployments of what it hosts, and leaves the others', () => {
    const names = (kind: 'Deployment' | 'ServiceAccount') => ofKind(objects, kind).map(({ metadata }) => metadata.name);
    expect(names('Deployment').sort()).toEqual([...apart, 'path'].sort());
    const remains = objects.filter(({ kind, metadata }) => path.includes(metadata.name) && kind !== 'Service');
    expect(remains.map(id)).toEqual([]);
    expect(environmentIn(appOf(objects, 'path'))['GATEHOUSE_SERVICES']).toBe('path');
  });

  it('leads the name of each service to its own port of the pods', () => {
    const labels = podOf(objects, 'path').metadata.labels;
    const ports = appOf(objects, 'path').ports ?? [];
    const listening = (target?: string) => ports.find(({ name }) => name === target)?.containerPort;
    for (const name of path) {
      const { spec } = objects.find((each) => id(each) === `Service ${name}`)!;
      expect(labels).toMatchObject(spec?.selector ?? { none: '' });
      expect(spec?.ports?.map(({ port, targetPort }) => [port, listening(targetPort)])).toEqual([
        [8080, portOf(name)],
        [9090, operationsPortOf(name)],
      ]);
      expect(baseSettings()).toMatchObject({ PORT: '8080', OPERATIONS_PORT: '9090' });
    }
    const taken = ports.map(({ containerPort }) => containerPort);
    expect(new Set(taken).size).toBe(2 * path.length);
    // Kubernetes names the address of a Service like a setting of one hosted service: ROUTER_PORT=tcp://...
    expect(podOf(objects, 'path').spec).toMatchObject({ enableServiceLinks: false });
  });

  it.each(path)('gives %s what its own pod would have, by its own role, user and key', (name) => {
    const before = built('production');
    const own = environmentOf(name, { ...baseSettings(), ...environmentIn(appOf(objects, 'path')) });
    expect(Object.keys(own)).toEqual(expect.arrayContaining(requiredSettings(name)));
    const settings = Object.entries(environmentIn(appOf(before, name)));
    expect(settings.length).toBeGreaterThan(3);
    for (const [setting, value] of settings) expect([setting, own[setting]]).toEqual([setting, value]);
    const labels = podOf(before, name).metadata.labels;
    const enabled = Object.keys(labels).filter((label) => label.startsWith('gatehouse.dev/'));
    for (const label of enabled)
      expect([label, podOf(objects, 'path').metadata.labels[label]]).toEqual([label, 'true']);
  });

  it('waits for the schema of each service, by the role of each', () => {
    const [migrated, ...more] = podOf(objects, 'path').spec.initContainers ?? [];
    expect(more).toEqual([]);
    expect(migrated?.command?.slice(-path.length)).toEqual(path);
    const roles = migrated?.env?.map(({ name, valueFrom }) => [name, valueFrom?.secretKeyRef?.name]);
    expect(roles).toEqual(path.map((name) => [`${variable(name)}_DATABASE_URL`, `${name}-stores`]));
  });

  it('is stopped, spread, budgeted and scaled like a Deployment of the base', () => {
    const likeBase = JSON.parse(
      JSON.stringify(podOf(built('production'), 'webhook-ingress').spec).replaceAll('webhook-ingress', 'path'),
    ) as object;
    const { topologySpreadConstraints, affinity, tolerations, terminationGracePeriodSeconds, securityContext } =
      likeBase as Record<string, unknown>;
    expect(podOf(objects, 'path').spec).toMatchObject({
      topologySpreadConstraints,
      affinity,
      tolerations,
      terminationGracePeriodSeconds,
      securityContext,
      serviceAccountName: 'path',
    });
    const app = appOf(objects, 'path');
    // The engine starts last: once it answers, all do.
    for (const probe of [app.startupProbe, app.livenessProbe, app.readinessProbe]) {
      expect(app.ports?.find(({ name }) => name === probe?.httpGet.port)?.containerPort).toBe(portOf('engine'));
    }
    expect((app.startupProbe?.periodSeconds ?? 0) * (app.startupProbe?.failureThreshold ?? 0)).toBe(300);
    const named = (kind: string) => objects.find((each) => id(each) === `${kind} path`)?.spec;
    expect(podOf(objects, 'path').metadata.labels).toMatchObject(
      named('PodDisruptionBudget')?.selector?.matchLabels ?? { none: '' },
    );
    expect(named('HorizontalPodAutoscaler')?.scaleTargetRef?.name).toBe('path');
  });

  it('is reached by whom each service was reached, and reaches what the four did', () => {
    const before = built('production');
    const pod = (all: Manifest[], name: string) => ({
      namespace: 'gatehouse',
      labels: podOf(all, name).metadata.labels,
    });
    const policies = (all: Manifest[]) => all.filter(({ kind }) => kind === 'NetworkPolicy');
    for (const name of path) {
      for (const other of apart) {
        const calls = mayReach(policies(before), pod(before, other), pod(before, name), 8080);
        const now = mayReach(policies(objects), pod(objects, other), pod(objects, 'path'), portOf(name));
        expect([other, name, now]).toEqual([other, name, calls]);
        const monitoring = { namespace: 'monitoring', labels: {} };
        expect(mayReach(policies(objects), monitoring, pod(objects, 'path'), operationsPortOf(name))).toBe(true);
        expect(mayReach(policies(objects), pod(objects, other), pod(objects, 'path'), operationsPortOf(name))).toBe(
          false,
        );
      }
    }
    for (const other of apart) {
      const called = path.some((name) => mayReach(policies(before), pod(before, name), pod(before, other), 8080));
      expect([other, mayReach(policies(objects), pod(objects, 'path'), pod(objects, other), 8080)]).toEqual([
        other,
        called,
      ]);
    }
    const outside = { namespace: 'ingress-nginx', labels: {} };
    const open = path.filter((name) => mayReach(policies(objects), outside, pod(objects, 'path'), portOf(name)));
    expect(open).toEqual(['webhook-ingress']);
  });

  it('gets the model, is scaled by queues once, scraped, and checks tokens of the cluster but signs its own', () => {
    const all = make(true);
    const env = environmentIn(appOf(all, 'path'));
    expect(Object.keys(env)).toEqual(
      expect.arrayContaining(['MODEL_BASE_URL', 'MODEL_NAME', 'MODEL_API_KEY', 'KUBERNETES_JWKS_TOKEN_FILE']),
    );
    // Four names cannot be shown by the token of one ServiceAccount.
    expect(Object.keys(env)).not.toContain('KUBERNETES_TOKEN_DIR');
    const policy = find(all, 'NetworkPolicy', 'to-api-server') as Manifest;
    expect(policy.spec?.podSelector?.matchExpressions?.[0]?.values).toContain('path');
    expect(ofKind(all, 'ScaledObject').map(({ spec }) => spec.scaleTargetRef.name)).toEqual(['path']);
    expect(all.map(id)).not.toContain('HorizontalPodAutoscaler path');
    const [monitor] = ofKind(all, 'PodMonitor');
    const scraped = monitor?.spec.podMetricsEndpoints.map(({ port }) => port);
    const operations = appOf(all, 'path').ports?.filter(({ containerPort }) => containerPort >= 9090);
    expect(scraped).toEqual(operations?.map(({ name }) => name));
  });
});
