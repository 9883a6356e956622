import { chartVersion, describeRendered, helm, rendered } from './helm.js';
import { built, choices, components, describeBuilt } from './kustomize.js';
import { baseSettings, runnableApps, type Manifest } from './manifests.js';
import { appOf, find, id, ofKind, podOf } from './objects.js';
import { complaint } from './schema.js';

const repository = 'registry.example.com/gatehouse';
const gateway = { parentRefs: [{ name: 'gateway', namespace: 'gateway' }] };
const on = { enabled: true };
/** The chart's values for each kustomize component. */
const valuesOf: Record<string, object> = {
  backup: { backup: on },
  'cluster-tokens': { clusterTokens: on },
  'database-roles': { databaseRoles: on },
  'external-secrets': { externalSecrets: on },
  'external-secrets/database-roles': { externalSecrets: on, databaseRoles: on },
  'external-secrets/mcp-sidecar': { externalSecrets: on, mcpSidecar: on },
  'external-secrets/model': { externalSecrets: on, model: on },
  'external-secrets/single-sign-on': { externalSecrets: on, singleSignOn: on },
  'gateway-api': { gateway: { ...on, ...gateway }, ingress: { enabled: false } },
  'mcp-sidecar': { mcpSidecar: on },
  model: { model: on },
  monitoring: { monitoring: { serviceMonitor: on, alerts: on, dashboards: on }, queueScaling: on },
  path: { path: on },
  moves: { moves: on },
  'path/monitoring': { path: on, monitoring: { serviceMonitor: on, alerts: on, dashboards: on }, queueScaling: on },
  'pod-monitor': { monitoring: { podMonitor: on } },
  'single-sign-on': { singleSignOn: on },
  'spool-volume': { spoolVolume: on },
  tracing: { tracing: on },
};
const everything = {
  ...Object.assign({}, ...Object.values(valuesOf)),
  monitoring: { podMonitor: on, alerts: on, dashboards: on },
};

const jobsOf = (objects: Manifest[]) =>
  objects.filter(({ kind }) => kind === 'Job').map(({ metadata }) => metadata.name);

/** Objects by kind and name, without what each tool names, or uses to roll pods, in its own way. */
function comparable(objects: Manifest[]) {
  const plain = JSON.stringify(objects)
    // kustomize names a ConfigMap by its content; the chart gives pods a digest of it.
    .replace(/"name":"gatehouse-(?!dashboards)[a-z0-9]{10}"/g, '"name":"gatehouse"')
    // Both name a Job by its release; the chart also by everything else that would change the Job.
    .replace(/"name":"(migrate|database-roles)-0\.1\.0(-[0-9a-f]{8})?"/g, '"name":"$1-release"');
  const all = JSON.parse(plain) as Manifest[];
  for (const { spec } of [...ofKind(all, 'Deployment'), ...ofKind(all, 'StatefulSet')]) {
    const { metadata } = spec.template;
    delete metadata.annotations?.['checksum/settings'];
    if (Object.keys(metadata.annotations ?? {}).length === 0) delete metadata.annotations;
  }
  // The namespace exists before a release.
  const ours = all.filter(({ kind }) => kind !== 'Namespace');
  return Object.fromEntries(
    ours.sort((one, other) => id(one).localeCompare(id(other))).map((each) => [id(each), each]),
  );
}

const [describeBoth] = [describeRendered === describe ? describeBuilt : describe.skip];

describeBoth.each(choices.map((names) => [names]))('the chart with %j', (names) => {
  it('has the objects that kustomize builds', () => {
    const objects = built('production', names, (kustomization) => {
      // Patches are an installation's own; the chart's values equal the base.
      delete kustomization.patches;
      const [image] = kustomization.images ?? [];
      const sidecar = {
        name: 'gatehouse/mcp-sidecar',
        newName: `${repository}/mcp-sidecar`,
        newTag: image?.newTag ?? '',
      };
      kustomization.images?.push(sidecar);
    });
    const values = names === components ? everything : names.length === 0 ? {} : valuesOf[names.at(-1) ?? ''];
    expect(values).toBeDefined();
    const release = rendered({ ...values, image: { repository } });
    expect(comparable(release)).toEqual(comparable(objects));
  });
});

describeRendered('the chart', () => {
  it('passes the strict lint, also with everything enabled', () => {
    for (const values of [{}, { ...everything, gateway: { ...on, ...gateway } }]) {
      const { status, stdout } = helm('lint', values);
      expect([status, stdout]).toEqual([0, expect.stringContaining('0 chart(s) failed')]);
    }
  });

  it('renders valid objects, only in the namespace of the release', async () => {
    const values = { ...everything, ingress: { enabled: true, tls: [{ hosts: ['a.example'], secretName: 'tls' }] } };
    const objects = rendered({ ...values, secrets: { create: { 'gatehouse-kek': { GATEHOUSE_KEK_RING: 'x' } } } });
    for (const each of objects) {
      expect([id(each), await complaint(each), each.metadata.namespace]).toEqual([id(each), null, 'gatehouse']);
    }
    expect(new Set(objects.map(id)).size).toBe(objects.length);
    expect(objects.map(id)).toEqual(expect.arrayContaining(['Secret gatehouse-kek', 'HTTPRoute gatehouse']));
  });

  it('runs every app at the version of its release', () => {
    const objects = rendered();
    for (const app of runnableApps()) expect(appOf(objects, app).image).toBe(`gatehouse/${app}:${chartVersion()}`);
  });

  it.each([
    ['no component', {}, undefined],
    ['moves', { moves: on }, 'true'],
    ['moves and singleSignOn', { moves: on, singleSignOn: on }, 'true'],
  ])('with %s only that lets the portal reach the internet', (_title, values, label) => {
    const { metadata } = find(rendered(values), 'Deployment', 'portal').spec.template;
    expect(metadata.labels['gatehouse.dev/internet']).toBe(label);
  });

  it('passes the settings to services, those of the installation over those of a component', () => {
    const settings = { LOG_LEVEL: 'warn', TRACES_PERCENT: '5', DATABASE_POOL: '1000000' };
    const { data } = find(rendered({ settings, tracing: on }), 'ConfigMap', 'gatehouse');
    expect(data).toEqual({
      ...baseSettings(),
      ...settings,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel-collector.monitoring.svc:4318',
      METRICS_EXPORT_MS: '0',
    });
  });

  it('tells services which namespace their callers are in', () => {
    expect(find(rendered({ clusterTokens: on }), 'ConfigMap', 'gatehouse').data).toMatchObject({
      KUBERNETES_NAMESPACE: 'gatehouse',
    });
  });

  it('rolls pods when a setting changes, and then creates no other Job', () => {
    const [before, after] = [rendered(), rendered({ settings: { LOG_LEVEL: 'warn' } })];
    const rolledBy = (objects: Manifest[]) => podOf(objects, 'router').metadata.annotations?.['checksum/settings'];
    expect(rolledBy(rendered())).toBe(rolledBy(before));
    expect(rolledBy(after)).not.toBe(rolledBy(before));
    expect(jobsOf(after)).toEqual(jobsOf(before));
  });

  it.each([
    ['tag', { image: { tag: 'Next_1' } }],
    ['registry', { image: { repository } }],
    ['digest', { services: { portal: { image: { digest: `sha256:${'a'.repeat(64)}` } } } }],
    ['Secret', { secrets: { names: { 'database-owner': 'mine' } } }],
    ['node', { nodeSelector: { disk: 'ssd' } }],
  ])('creates another Job with another %s, since a Job cannot be changed', async (_what, values) => {
    const objects = rendered(values);
    expect(jobsOf(objects)).not.toEqual(jobsOf(rendered()));
    for (const job of objects.filter(({ kind }) => kind === 'Job')) {
      expect(await complaint(job)).toBeNull();
      expect(job.metadata.name).toMatch(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/);
    }
  });
});
