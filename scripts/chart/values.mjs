// The parts of `values.yaml` that come from the base, with their comments: settings, replicas, resources, network
// rules.
import { isMap, parseDocument } from 'yaml';
import { components } from './components.mjs';
import { at, documentsOf, patchesOf, serviceObjects, services, textOf } from './source.mjs';

/** @typedef {import('./source.mjs').Doc} Doc */

/** @param {string} kind @param {string} name @returns {Doc} */
function objectOf(kind, name) {
  const object = serviceObjects().find(
    (each) => each.get('kind') === kind && each.getIn(['metadata', 'name']) === name,
  );
  if (!object) throw new Error(`the base has no ${kind} ${name}`);
  return object;
}

/** settings.env as a map, each comment before its setting. @param {Doc} values */
function settings(values) {
  const lines = textOf('base/settings.env').trim().split('\n');
  const yaml = lines.map((line) => line.replace(/^([A-Z_]+)=(.*)$/, (_all, name, value) => `${name}: '${value}'`));
  // The first comment describes the file itself.
  const map = parseDocument(yaml.slice(1).join('\n')).contents;
  values.set('settings', map);
}

/** @param {Doc} values @param {string} name */
function service(values, name) {
  const autoscaler = objectOf('HorizontalPodAutoscaler', name);
  const minReplicas = at(autoscaler, 'spec/minReplicas').value;
  const own = values.createNode({
    replicas: minReplicas,
    autoscaling: {
      enabled: true,
      minReplicas,
      maxReplicas: at(autoscaler, 'spec/maxReplicas').value,
      cpuPercent: at(autoscaler, 'spec/metrics/0/resource/target/averageUtilization').value,
    },
  });
  if (!isMap(own)) throw new Error('no map');
  own.set('resources', at(objectOf('Deployment', name), 'spec/template/spec/containers/0/resources'));
  values.setIn(['services', name], own);
}

/**
 * The settings that a component gives every service, which are its patches of the ConfigMap, or one service.
 * @param {Doc} values @param {string} component
 * @param {string} key
 */
function componentSettings(values, component, key) {
  const own = components[component]?.settings;
  const patched = patchesOf(component).flatMap(({ kind, file, operations }) => {
    if (file === own) return operations.map(({ value }) => [value.name, value.value]);
    return kind === 'ConfigMap' ? operations.map(({ path, value }) => [path.replace('data/', ''), value]) : [];
  });
  // Left out: the chart knows its own namespace.
  const map = Object.fromEntries(patched.filter(([name]) => name !== 'KUBERNETES_NAMESPACE'));
  values.setIn([key, 'settings'], values.createNode(map));
}

/**
 * The chart's values, with the parts that come from the base replaced.
 * @param {string} before the current content of the file
 */
export function valuesOf(before) {
  const values = /** @type {Doc} */ (parseDocument(before));
  settings(values);
  values.set('services', values.createNode(Object.fromEntries(services().map((name) => [name, null]))));
  for (const name of services()) service(values, name);
  const rule = (/** @type {string} */ key, /** @type {string} */ policy, /** @type {string} */ path) =>
    values.setIn(['networkPolicies', ...key.split('.')], at(objectOf('NetworkPolicy', policy), path));
  rule('dns', 'names', 'spec/egress/0');
  rule('stores', 'to-stores', 'spec/egress/0');
  rule('internet', 'to-internet', 'spec/egress/0');
  rule('metrics.from', 'metrics', 'spec/ingress/0/from');
  for (const [component, key] of [
    ['cluster-tokens', 'clusterTokens'],
    ['model', 'model'],
    ['single-sign-on', 'singleSignOn'],
    ['tracing', 'tracing'],
  ]) {
    componentSettings(values, component ?? '', key ?? '');
  }
  const sidecar = documentsOf('components/mcp-sidecar/mcp-sidecar.yaml').find(
    (each) => each.get('kind') === 'Deployment',
  );
  if (sidecar) values.setIn(['mcpSidecar', 'resources'], at(sidecar, 'spec/template/spec/containers/0/resources'));
  return values.toString({ lineWidth: 0 });
}
