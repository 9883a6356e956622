/**
 * One process of the system.
 * @typedef {object} Service
 * @property {string} name also its folder in apps/ and its log's name
 * @property {string} entry what Node runs, from the project's root
 * @property {string} urlVariable tells the others where it listens
 * @property {string} portVariable fixes its port
 */

/** @param {string} name @param {string} urlVariable @param {string} [portVariable] @returns {Service} */
const service = (name, urlVariable, portVariable = `${name.toUpperCase().replaceAll('-', '_')}_PORT`) => ({
  name,
  entry: `dist/apps/${name}/src/main.js`,
  urlVariable,
  portVariable,
});

/** In the order in which they start. @type {Service[]} */
export const services = [
  service('credential-vault', 'VAULT_URL'),
  service('webhook-ingress', 'INGRESS_URL'),
  service('adapter-gateway', 'GATEWAY_URL'),
  service('router', 'ROUTER_URL'),
  service('engine', 'ENGINE_URL'),
  service('adapters', 'ADAPTERS_URL'),
  service('portal', 'PORTAL_URL', 'GATEHOUSE_PORT'),
];
