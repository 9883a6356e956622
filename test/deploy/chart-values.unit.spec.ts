import { Ajv, type ValidateFunction } from 'ajv';
import { chartValues, describeRendered, rendered } from './helm.js';
import { baseSettings, manifestsOf, read, runnableApps } from './manifests.js';
import { appOf, find, id, ofKind, podOf } from './objects.js';

interface ValuesSchema {
  properties: { services: { properties: object; required: string[] } };
  definitions: { secret: { enum: string[] } };
}

const repository = 'registry.example.com/gatehouse';
const gateway = { enabled: true, parentRefs: [{ name: 'gateway', namespace: 'gateway' }] };

describe('the schema of the chart', () => {
  const schema = JSON.parse(read('k8s/chart/values.schema.json')) as ValuesSchema;
  let validate: ValidateFunction;
  beforeAll(() => {
    validate = new Ajv({ allErrors: true, strict: true, strictRequired: false, strictTypes: false }).compile(schema);
  });
  /** The values with one deep change. */
  const changed = (path: string, value: unknown) => {
    const values = chartValues();
    const keys = path.split('/');
    const last = keys.pop() ?? '';
    const holder = keys.reduce((node, key) => (node[key] ??= {}) as Record<string, unknown>, values);
    holder[last] = value;
    return values;
  };

  it('accepts the values of the chart', () => {
    validate(chartValues());
    expect(validate.errors).toBeNull();
  });

  it('knows every service, setting and Secret', () => {
    const services = [...runnableApps(), 'path'].sort();
    expect(Object.keys(schema.properties.services.properties).sort()).toEqual(services);
    expect(schema.properties.services.required.sort()).toEqual(services);
    expect(chartValues()['settings']).toEqual(baseSettings());
    const examples = [
      'k8s/secrets.example.yaml',
      'k8s/components/single-sign-on/secret.example.yaml',
      'k8s/components/mcp-sidecar/secret.example.yaml',
      'k8s/components/model/secret.example.yaml',
    ].flatMap((file) => manifestsOf(read(file)).map(({ metadata }) => metadata.name));
    // These belong to the dev overlay's Redis, which the chart does not have.
    const secrets = examples.filter((name) => name !== 'redis-users');
    expect(schema.definitions.secret.enum.sort()).toEqual(secrets.sort());
  });

  it('allows no unknown entry in any map of the chart', () => {
    const open: string[] = [];
    const walk = (node: unknown, path: string) => {
      if (node && typeof node === 'object') {
        const map = 'properties' in node && 'type' in node && node.type === 'object';
        if (map && !('additionalProperties' in node && node.additionalProperties === false)) open.push(path);
        for (const [key, value] of Object.entries(node)) walk(value, `${path}/${key}`);
      }
    };
    walk(schema, '');
    // Volumes and mounts are defined by Kubernetes and have many kinds.
    expect(open).toEqual(['/definitions/volumes/items', '/definitions/volumeMounts/items']);
  });

  it.each([
    ['image/tag', 'v 1'],
    ['image/tag', 5],
    ['image/registry', 'example.com'],
    ['services/router/image', { digest: 'sha256:abc' }],
    ['services/router/resorces', {}],
    ['services/router/resources/limits', { memory: 'lots' }],
    ['services/router/autoscaling/minReplicas', 0],
    ['services/routr', { replicas: 1 }],
    ['services/router/extraEnv', [{ value: 'nameless' }]],
    ['settings/DATABASE_POOL', 5],
    ['settings/databasePool', '5'],
    ['settings/MODEL_API_KEY', 'given to every service'],
    ['settings/OIDC_CLIENT_SECRET', 'given to every service'],
    ['model/settings/MODEL_API_KEY', 'belongs into the Secret'],
    ['model/settings/LOG_LEVEL', 'debug'],
    ['model/settings/MODEL_BASE_URL', 'models.example.com'],
    ['model/settings', { MODEL_BASE_URL: 'https://models.example.com' }],
    ['settings/PUBLIC_URL', 'gatehouse.example.com'],
    ['settings/PUBLIC_URL', 'https://gatehouse.example.com/below'],
    ['secrets/names', { 'router-store': 'mine' }],
    ['secrets/create', { 'gatehouse-kek': {} }],
    ['externalSecrets/store/kind', 'Store'],
    ['ingress/hosts', ['https://gatehouse.example.com']],
    ['ingress/tls', true],
    ['gateway/enabled', true],
    ['networkPolicies/dns/ports', [{ port: 70_000 }]],
    ['networkPolicies/internet/to', [{ ipBlock: { cidr: 'everywhere' } }]],
    ['clusterTokens/apiServer', []],
    ['clusterTokens/apiServer', ['10.0.0.1']],
    ['queueScaling/prometheus', 'prometheus:9090'],
    ['monitoring/enabled', true],
    ['tracing/enabled', 'yes'],
  ])('refuses %s: %j', (path, value) => {
    expect(validate(changed(path, value))).toBe(false);
    const [group] = path.split('/');
    expect(validate.errors?.some(({ instancePath }) => instancePath.startsWith(`/${group}`))).toBe(true);
  });

  it.each([
    ['gateway', { annotations: {}, hosts: [], ...gateway }],
    ['image/tag', '1.2.3-rc.1'],
    ['settings/MODEL_URL', 'https://models.example.com'],
    ['model/settings/MODEL_PRICES', '{"example": {"input": 1, "output": 2}}'],
    ['secrets/names', { 'router-stores': 'mine' }],
    [
      'services/credential-vault/serviceAccount',
      { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/a' } },
    ],
    ['services/router/resources', { requests: { cpu: '1.5' }, limits: { memory: '1Gi' } }],
    ['global', { anything: true }],
  ])('accepts %s: %j', (path, value) => {
    validate(changed(path, value));
    expect(validate.errors).toBeNull();
  });
});

describeRendered('values of the chart', () => {
  it('set the image of a service, and the registry of all of them', () => {
    const digest = `sha256:${'0'.repeat(64)}`;
    const image = { repository, tag: '1.2.3', pullPolicy: 'Always', pullSecrets: [{ name: 'pull' }] };
    const own = { repository: 'other.example/vault', tag: 'mine', digest };
    const objects = rendered({ image, services: { 'credential-vault': { image: own } } });
    expect(appOf(objects, 'router')).toMatchObject({ image: `${repository}/router:1.2.3`, imagePullPolicy: 'Always' });
    const vault = podOf(objects, 'credential-vault').spec;
    expect(vault.containers[0]?.image).toBe(`other.example/vault:mine@${digest}`);
    expect(vault.initContainers?.[0]?.image).toBe(`other.example/vault:mine@${digest}`);
    for (const { kind, spec } of objects) {
      if (kind === 'Deployment' || kind === 'Job')
        expect(spec?.template?.spec).toMatchObject({ imagePullSecrets: [{ name: 'pull' }] });
    }
  });

  it('set replicas where nothing scales, resources, environment, account and placement of a service', () => {
    const toleration = { key: 'gpu', operator: 'Exists' };
    const objects = rendered({
      nodeSelector: { disk: 'ssd' },
      services: {
        engine: {
          replicas: 4,
          autoscaling: { enabled: false },
          resources: { limits: { memory: '2Gi' } },
          extraEnv: [{ name: 'MODEL', value: 'x' }],
          extraVolumes: [{ name: 'more', emptyDir: {} }],
          extraVolumeMounts: [{ name: 'more', mountPath: '/more' }],
          serviceAccount: { annotations: { role: 'engine' } },
          podAnnotations: { note: 'a' },
          podLabels: { team: 'b' },
          tolerations: [toleration],
          priorityClassName: 'high',
        },
      },
    });
    const { spec } = find(objects, 'Deployment', 'engine');
    expect(spec.replicas).toBe(4);
    expect(objects.map(id)).not.toContain('HorizontalPodAutoscaler engine');
    expect(find(objects, 'Deployment', 'router').spec.replicas).toBeUndefined();
    expect(spec.template.metadata).toMatchObject({ annotations: { note: 'a' }, labels: { team: 'b' } });
    expect(spec.template.spec).toMatchObject({
      nodeSelector: { disk: 'ssd' },
      tolerations: [toleration, ...podOf(rendered(), 'engine').spec.tolerations],
      priorityClassName: 'high',
    });
    expect(spec.template.spec.volumes).toContainEqual({ name: 'more', emptyDir: {} });
    const app = appOf(objects, 'engine');
    expect(app.resources).toMatchObject({ limits: { memory: '2Gi' }, requests: { cpu: '250m' } });
    expect(app.env?.at(-1)).toEqual({ name: 'MODEL', value: 'x' });
    expect(app.volumeMounts).toContainEqual({ name: 'more', mountPath: '/more' });
    expect(find(objects, 'ServiceAccount', 'engine').metadata.annotations).toEqual({ role: 'engine' });
    expect(JSON.stringify(podOf(objects, 'router'))).not.toMatch(/MODEL|\/more|gpu/);
  });

  it('give the model to the engine alone, its key by a Secret, and replace each setting of it', () => {
    const settings = { MODEL_BASE_URL: 'http://model:8000/v1', MODEL_NAME: 'own', MODEL_PRICES: '{"own": "dear"}' };
    const objects = rendered({ model: { enabled: true, settings }, secrets: { names: { model: 'mine' } } });
    const given = (appOf(objects, 'engine').env ?? []).filter(({ name }) => name.startsWith('MODEL_'));
    expect(given).toEqual([
      ...Object.entries(settings).map(([name, value]) => ({ name, value })),
      { name: 'MODEL_API_KEY', valueFrom: { secretKeyRef: { name: 'mine', key: 'MODEL_API_KEY' } } },
    ]);
    const others = objects.filter((each) => JSON.stringify(each).includes('MODEL_'));
    expect(others.map(id)).toEqual(['Deployment engine']);
    expect(JSON.stringify(rendered())).not.toContain('MODEL_');
  });

  it('add to the placement of the base, and replace what they name themselves', () => {
    const unreachable = { key: 'node.kubernetes.io/unreachable', operator: 'Exists', tolerationSeconds: 120 };
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } };
    const podAntiAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [] };
    const objects = rendered({
      tolerations: [unreachable],
      affinity: { nodeAffinity },
      services: { portal: { affinity: { podAntiAffinity } } },
    });
    const keys = podOf(objects, 'router').spec.tolerations.map(({ key }) => key);
    expect(keys.sort()).toEqual(['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']);
    for (const name of ['engine', 'router']) {
      const { spec } = podOf(objects, name);
      expect(spec.tolerations).toContainEqual(unreachable);
      expect(spec.affinity).toEqual({ ...podOf(rendered(), name).spec.affinity, nodeAffinity });
    }
    expect(podOf(objects, 'portal').spec.affinity).toEqual({ podAntiAffinity });
    const [job] = ofKind(objects, 'Job');
    expect(job?.spec.template.spec).toMatchObject({
      affinity: { nodeAffinity },
      tolerations: expect.arrayContaining([unreachable]),
    });
  });

  it('mount a CA where the stores are reached, and nowhere else', () => {
    const mount = { name: 'ca', mountPath: '/ca', readOnly: true };
    const stores = { volumes: [{ name: 'ca', configMap: { name: 'ca' } }], volumeMounts: [mount] };
    const objects = rendered({ stores, databaseRoles: { enabled: true } });
    for (const each of [...ofKind(objects, 'Deployment'), ...ofKind(objects, 'Job')]) {
      const { metadata, spec } = each.spec.template;
      const reaching = metadata.labels['gatehouse.dev/stores'] === 'true';
      for (const container of [...spec.containers, ...(spec.initContainers ?? [])]) {
        expect([id(each), container.name, container.volumeMounts.some(({ name }) => name === 'ca')]).toEqual([
          id(each),
          container.name,
          reaching,
        ]);
      }
    }
  });

  it('name other Secrets, and create some', () => {
    const secrets = {
      names: { 'router-stores': 'mine' },
      create: { 'router-key': { GATEHOUSE_SERVICE_KEY: '{"a": 1}' } },
    };
    const objects = rendered({ secrets, externalSecrets: { enabled: true, prefix: 'prod/' } });
    const pod = podOf(objects, 'router').spec;
    const used = [...(pod.initContainers ?? []), ...pod.containers].flatMap(({ env = [] }) => env);
    const database = used.filter(({ name }) => name === 'DATABASE_URL');
    expect(database.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name)).toEqual(['mine', 'mine']);
    expect(find(objects, 'ExternalSecret', 'mine').spec.dataFrom).toEqual([{ extract: { key: 'prod/router-stores' } }]);
    expect(find(objects, 'Secret', 'router-key').stringData).toEqual({ GATEHOUSE_SERVICE_KEY: '{"a": 1}' });
  });

  it('route hosts by Ingress and by Gateway API, that of PUBLIC_URL unless others are named', () => {
    const settings = { PUBLIC_URL: 'https://gate.example.org:8443' };
    const ingress = {
      className: 'nginx',
      annotations: { note: 'a' },
      tls: [{ hosts: ['gate.example.org'], secretName: 'tls' }],
    };
    const objects = rendered({ settings, ingress, gateway: { ...gateway, hosts: ['a.example', 'b.example'] } });
    const { metadata, spec } = find(objects, 'Ingress', 'gatehouse');
    expect(metadata.annotations).toEqual({ note: 'a' });
    expect(spec).toMatchObject({ ingressClassName: 'nginx', tls: ingress.tls });
    expect(spec.rules.map(({ host }) => host)).toEqual(['gate.example.org']);
    expect(find(objects, 'HTTPRoute', 'gatehouse').spec).toMatchObject({
      hostnames: ['a.example', 'b.example'],
      parentRefs: gateway.parentRefs,
    });
  });

  it('open the network as elsewhere, or leave it to others', () => {
    const dns = { to: [{ namespaceSelector: {} }], ports: [{ protocol: 'UDP', port: 5353 }] };
    const stores = { ports: [{ protocol: 'TCP', port: 16432 }] };
    const metrics = { from: [{ namespaceSelector: { matchLabels: { team: 'ops' } } }] };
    const objects = rendered({ networkPolicies: { dns, stores, metrics } });
    expect(find(objects, 'NetworkPolicy', 'names').spec.egress).toEqual([dns]);
    expect(find(objects, 'NetworkPolicy', 'to-stores').spec.egress).toEqual([stores]);
    expect(find(objects, 'NetworkPolicy', 'metrics').spec.ingress[0]?.from).toEqual(metrics.from);
    const open = rendered({ networkPolicies: { enabled: false }, tracing: { enabled: true } });
    expect(open.filter(({ kind }) => kind === 'NetworkPolicy')).toEqual([]);
  });

  it('scale by queues between their own bounds', () => {
    const queueScaling = { enabled: true, prometheus: 'http://mimir:9009', maxReplicas: 7 };
    const services = {
      engine: { autoscaling: { minReplicas: 5, cpuPercent: 50 } },
      router: { autoscaling: { enabled: false } },
    };
    const objects = rendered({ queueScaling, services });
    const { spec } = find(objects, 'ScaledObject', 'engine');
    expect(spec).toMatchObject({ minReplicaCount: 5, maxReplicaCount: 7 });
    expect(spec.triggers[0]?.metadata).toEqual({ value: '50' });
    expect(spec.triggers[1]?.metadata).toMatchObject({ serverAddress: 'http://mimir:9009' });
    expect(objects.map(id).filter((each) => / (router|engine)$/.test(each) && /Scale/i.test(each))).toEqual([
      'ScaledObject engine',
    ]);
  });

  it('let keys be fetched from the API server of the cluster', () => {
    const apiServer = ['10.1.2.3/32', '10.1.2.4/32'];
    const { spec } = find(rendered({ clusterTokens: { enabled: true, apiServer } }), 'NetworkPolicy', 'to-api-server');
    expect(spec.egress[0]?.to).toEqual(apiServer.map((cidr) => ({ ipBlock: { cidr } })));
  });
});
