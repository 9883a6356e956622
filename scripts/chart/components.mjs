// Which value of the chart enables which kustomize component.

/**
 * @typedef {object} Component
 * @property {string} value the map of `values.yaml` whose `enabled` enables it
 * @property {string} [beside] another one that has to be enabled too
 * @property {string} [settings] the file of settings of one service, which `settings` of that map replaces
 * @property {Record<string, string>} [files] resources that another value enables
 */

/** In the order in which their additions appear in a pod. @type {Record<string, Component>} */
export const components = {
  // Before others, which change what it makes.
  path: { value: 'path' },
  'path/monitoring': { value: 'queueScaling', beside: 'path' },
  backup: { value: 'backup' },
  'cluster-tokens': { value: 'clusterTokens' },
  'database-roles': { value: 'databaseRoles' },
  'external-secrets': { value: 'externalSecrets' },
  'external-secrets/database-roles': { value: 'externalSecrets', beside: 'databaseRoles' },
  'external-secrets/model': { value: 'externalSecrets', beside: 'model' },
  'external-secrets/mcp-sidecar': { value: 'externalSecrets', beside: 'mcpSidecar' },
  'external-secrets/single-sign-on': { value: 'externalSecrets', beside: 'singleSignOn' },
  'gateway-api': { value: 'gateway' },
  'mcp-sidecar': { value: 'mcpSidecar' },
  model: { value: 'model', settings: 'settings.yaml' },
  monitoring: {
    value: 'monitoring',
    files: {
      'service-monitor.yaml': 'monitoring.serviceMonitor',
      'alerts.yaml': 'monitoring.alerts',
      'queue-scaling.yaml': 'queueScaling',
    },
  },
  moves: { value: 'moves' },
  'pod-monitor': { value: 'monitoring.podMonitor' },
  'single-sign-on': { value: 'singleSignOn' },
  // Its patches are inline: `spoolVolume` in changes.mjs writes them.
  'spool-volume': { value: 'spoolVolume' },
  tracing: { value: 'tracing' },
};

/** @param {string} component @param {string} file */
export function switchOf(component, file) {
  const { value, files, beside } = components[component] ?? { value: component };
  const own = `.Values.${files?.[file] ?? value}.enabled`;
  return beside ? `and ${own} .Values.${beside}.enabled` : own;
}
