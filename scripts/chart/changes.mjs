// Where each kind of object takes values: the places that an overlay would patch.
import { stringify } from 'yaml';
import { at, documentsOf, inlinePatches, services, unflowed } from './source.mjs';

/**
 * @typedef {import('./source.mjs').Doc} Doc
 * @typedef {import('./marks.mjs').Marks} Marks
 * @typedef {(document: Doc, marks: Marks, name: string) => string | undefined | void} Change returns the condition for the object
 */

const STORES = 'gatehouse.dev/stores';
/** Services whose autoscaler is replaced by KEDA's where queues determine the scale. */
const byQueues = new Set(
  ['monitoring', 'path/monitoring']
    .flatMap((component) => documentsOf(`components/${component}/queue-scaling.yaml`))
    .map((document) => String(at(document, 'metadata/name'))),
);

/** @param {string} name */
export const service = (name) => `(index $.Values.services "${name}")`;

/** @param {Doc} document @param {Marks} marks @param {string} own the values of this pod, or `dict` */
function pod(document, marks, own) {
  const spec = unflowed(document, 'spec/template/spec');
  // What the values add to: the base's own tolerations and affinity.
  const placed = ['tolerations', 'affinity'].filter((key) => spec.has(key));
  const base = JSON.stringify(Object.fromEntries(placed.map((key) => [key, spec.get(key).toJS(document)])));
  for (const key of placed) spec.delete(key);
  marks.append(
    spec,
    `{{- with include "gatehouse.scheduling" (list $ ${own} (fromJson \`${base}\`)) }}\n{{- . | trim | nindent 0 }}\n{{- end }}`,
  );
  for (const containers of ['initContainers', 'containers'].filter((key) => spec.has(key))) {
    marks.append(
      unflowed(document, `spec/template/spec/${containers}/0`),
      '{{- with $.Values.image.pullPolicy }}\nimagePullPolicy: {{ . }}\n{{- end }}',
    );
  }
  if (!at(document, 'spec/template/metadata/labels').has(STORES)) return;
  const list = (/** @type {string} */ path, /** @type {string} */ value) =>
    marks.append(unflowed(document, path), `{{- with ${value} }}\n{{- toYaml . | nindent 0 }}\n{{- end }}`);
  list('spec/template/spec/volumes', '$.Values.stores.volumes');
  list('spec/template/spec/containers/0/volumeMounts', '$.Values.stores.volumeMounts');
  if (spec.has('initContainers')) {
    list('spec/template/spec/initContainers/0/volumeMounts', '$.Values.stores.volumeMounts');
  }
}

/**
 * A StatefulSet with a volume for each replica's spool, or a Deployment whose spool goes with the pod.
 * @param {Doc} document @param {Marks} marks
 */
function spoolVolume(document, marks) {
  const on = '$.Values.spoolVolume.enabled';
  const [operations] = inlinePatches('spool-volume').filter(({ kind }) => kind === 'Deployment');
  const added = operations?.operations
    .filter(({ op }) => op === 'add')
    .map(({ path, value }) => [path.slice(6), value]);
  const own = Object.fromEntries(added ?? []);
  const [claim] = own.volumeClaimTemplates;
  claim.spec.resources.requests.storage = '{{ $.Values.spoolVolume.storage }}';
  const lines = (/** @type {object} */ value) => stringify(value, { lineWidth: 0 }).trimEnd();
  const spec = unflowed(document, 'spec');
  const strategy = spec.get('strategy').toJS(document);
  spec.delete('strategy');
  const claims = `${lines(own)}\n      {{- with $.Values.spoolVolume.storageClass }}\n      storageClassName: {{ . }}\n      {{- end }}`;
  marks.append(spec, `{{- if ${on} }}\n${claims}\n{{- else }}\n${lines({ strategy })}\n{{- end }}`);
  document.set('kind', marks.inline(`ternary "StatefulSet" "Deployment" ${on}`));
  const volumes = unflowed(document, 'spec/template/spec/volumes');
  const index = volumes.items.findIndex((/** @type {any} */ one) => one.get('name') === 'spool');
  const [volume] = volumes.items.splice(index, 1);
  marks.append(volumes, `{{- if not ${on} }}\n${lines([volume.toJS(document)])}\n{{- end }}`);
  volumes.items.splice(index, 0, volumes.items.pop());
}

/** @type {Record<string, Change>} */
export const changes = {
  Deployment(document, marks, name) {
    if (name === 'mcp-sidecar') {
      at(document, 'spec/template/spec/containers/0').set(
        'resources',
        marks.value('toYaml $.Values.mcpSidecar.resources'),
      );
      pod(document, marks, '$.Values.mcpSidecar');
      return;
    }
    const own = service(name);
    marks.append(
      unflowed(document, 'spec'),
      `{{- if not ${own}.autoscaling.enabled }}\nreplicas: {{ ${own}.replicas }}\n{{- end }}`,
    );
    marks.append(
      unflowed(document, 'spec/template/metadata'),
      [
        'annotations:',
        '  # A change of the settings rolls the pods.',
        '  checksum/settings: {{ include "gatehouse.settings" $ | sha256sum }}',
        `  {{- with ${own}.podAnnotations }}\n  {{- toYaml . | nindent 2 }}\n  {{- end }}`,
      ].join('\n'),
    );
    const list = (/** @type {string} */ path, /** @type {string} */ value) =>
      marks.append(unflowed(document, path), `{{- with ${own}.${value} }}\n{{- toYaml . | nindent 0 }}\n{{- end }}`);
    list('spec/template/metadata/labels', 'podLabels');
    const container = 'spec/template/spec/containers/0';
    at(document, container).set('resources', marks.value(`toYaml ${own}.resources`));
    list(`${container}/env`, 'extraEnv');
    list(`${container}/volumeMounts`, 'extraVolumeMounts');
    if (name === 'webhook-ingress') spoolVolume(document, marks);
    list('spec/template/spec/volumes', 'extraVolumes');
    pod(document, marks, own);
  },
  Job(document, marks, name) {
    const image = 'include "gatehouse.image" (list $ "portal" (index $.Values.services "portal"))';
    if (!name.endsWith('-release')) throw new Error(`${name} is not named for its release`);
    document.setIn(
      ['metadata', 'name'],
      marks.inline(`printf "${name.replace(/release$/, '%s')}" (include "gatehouse.release" (list $ (${image})))`),
    );
    pod(document, marks, 'dict');
  },
  CronJob(document, marks) {
    const values = '$.Values.backup';
    const container = 'spec/jobTemplate/spec/template/spec/containers/0';
    document.setIn(['spec', 'schedule'], marks.inline(`${values}.schedule | quote`));
    at(document, container).set('image', marks.inline(`${values}.image`));
    const days = at(document, `${container}/env`).items.find(
      (/** @type {any} */ one) => one.get('name') === 'KEEP_DAYS',
    );
    days.set('value', marks.inline(`${values}.keepDays | quote`));
  },
  PersistentVolumeClaim(document, marks) {
    unflowed(document, 'spec/resources/requests').set('storage', marks.inline('$.Values.backup.storage'));
  },
  ServiceAccount(document, marks, name) {
    // A job has no need for an identity in the cloud.
    if (!services().includes(name)) return;
    marks.append(
      unflowed(document, 'metadata'),
      `{{- with ${service(name)}.serviceAccount }}\nannotations: {{- toYaml .annotations | nindent 2 }}\n{{- end }}`,
    );
  },
  HorizontalPodAutoscaler(document, marks, name) {
    const values = `${service(name)}.autoscaling`;
    for (const key of ['minReplicas', 'maxReplicas']) document.setIn(['spec', key], marks.inline(`${values}.${key}`));
    at(document, 'spec/metrics/0/resource/target').set('averageUtilization', marks.inline(`${values}.cpuPercent`));
    if (name === 'webhook-ingress') {
      const on = '$.Values.spoolVolume.enabled';
      const seconds = at(document, 'spec/behavior/scaleDown/stabilizationWindowSeconds').value;
      at(document, 'spec/scaleTargetRef').set('kind', marks.inline(`ternary "StatefulSet" "Deployment" ${on}`));
      const rest = `{{- else }}\nstabilizationWindowSeconds: ${seconds}\n{{- end }}`;
      const scaleDown = unflowed(document, 'spec/behavior/scaleDown');
      scaleDown.items.length = 0;
      marks.append(scaleDown, `{{- if ${on} }}\nselectPolicy: Disabled\n${rest}`);
    }
    return byQueues.has(name) ? `and ${values}.enabled (not $.Values.queueScaling.enabled)` : `${values}.enabled`;
  },
  ScaledObject(document, marks, name) {
    const values = `${service(name)}.autoscaling`;
    document.setIn(['spec', 'minReplicaCount'], marks.inline(`${values}.minReplicas`));
    document.setIn(['spec', 'maxReplicaCount'], marks.inline('$.Values.queueScaling.maxReplicas'));
    at(document, 'spec/triggers/0/metadata').set('value', marks.inline(`${values}.cpuPercent | quote`));
    at(document, 'spec/triggers/1/metadata').set('serverAddress', marks.inline('$.Values.queueScaling.prometheus'));
    return `${values}.enabled`;
  },
  NetworkPolicy(document, marks, name) {
    const rule = { names: 'dns', 'to-stores': 'stores', 'to-internet': 'internet' }[name];
    if (rule) unflowed(document, 'spec').set('egress', marks.value(`toYaml (list $.Values.networkPolicies.${rule})`));
    if (name === 'metrics') {
      unflowed(document, 'spec/ingress/0').set('from', marks.value('toYaml $.Values.networkPolicies.metrics.from'));
    }
    if (name === 'to-api-server') {
      const rules = unflowed(document, 'spec/egress/0');
      rules.set('to', marks.value('include "gatehouse.api-server" $'));
    }
    return '$.Values.networkPolicies.enabled';
  },
  Ingress(document, marks) {
    const http = stringify(at(document, 'spec/rules/0/http').toJS(document)).trimEnd();
    const spec = unflowed(document, 'spec');
    spec.delete('rules');
    const optional = (/** @type {string} */ key) =>
      marks.append(spec, `{{- with $.Values.ingress.${key} }}\n${key}: {{- toYaml . | nindent 2 }}\n{{- end }}`);
    marks.append(spec, '{{- with $.Values.ingress.className }}\ningressClassName: {{ . }}\n{{- end }}');
    marks.append(
      spec,
      [
        'rules:',
        '  {{- range include "gatehouse.hosts" (list $ $.Values.ingress.hosts) | fromJsonArray }}',
        '  - host: {{ . | quote }}',
        '    http:',
        ...http.split('\n').map((line) => `      ${line}`),
        '  {{- end }}',
      ].join('\n'),
    );
    optional('tls');
    marks.append(
      unflowed(document, 'metadata'),
      '{{- with $.Values.ingress.annotations }}\nannotations: {{- toYaml . | nindent 2 }}\n{{- end }}',
    );
    return '$.Values.ingress.enabled';
  },
  HTTPRoute(document, marks) {
    const spec = unflowed(document, 'spec');
    spec.set('parentRefs', marks.value('toYaml $.Values.gateway.parentRefs'));
    spec.set('hostnames', marks.value('include "gatehouse.hosts" (list $ $.Values.gateway.hosts)'));
    marks.append(
      unflowed(document, 'metadata'),
      '{{- with $.Values.gateway.annotations }}\nannotations: {{- toYaml . | nindent 2 }}\n{{- end }}',
    );
  },
  ServiceMonitor: (document, marks) => labelled(document, marks, 'serviceMonitor'),
  PodMonitor: (document, marks) => labelled(document, marks, 'podMonitor'),
  PrometheusRule: (document, marks) => labelled(document, marks, 'alerts'),
  ExternalSecret(document, marks, name) {
    const values = '$.Values.externalSecrets';
    document.setIn(['metadata', 'name'], marks.inline(`include "gatehouse.secret" (list $ "${name}")`));
    document.setIn(['spec', 'refreshInterval'], marks.inline(`${values}.refreshInterval`));
    for (const key of ['kind', 'name'])
      document.setIn(['spec', 'secretStoreRef', key], marks.inline(`${values}.store.${key}`));
    document.setIn(['spec', 'dataFrom', 0, 'extract', 'key'], marks.inline(`printf "%s${name}" ${values}.prefix`));
  },
};

/** Prometheus selects its objects by label. @param {Doc} document @param {Marks} marks @param {string} value */
function labelled(document, marks, value) {
  marks.append(
    unflowed(document, 'metadata'),
    `{{- with $.Values.monitoring.${value}.labels }}\nlabels: {{- toYaml . | nindent 2 }}\n{{- end }}`,
  );
}
