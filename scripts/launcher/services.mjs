/**
 * One service of the system, by default a process.
 * @typedef {object} Service
 * @property {string} name also its folder in apps/ and its log's name
 * @property {string} entry what Node runs, from the project's root
 * @property {string} urlVariable tells the others where it listens
 * @property {string} portVariable fixes its port
 * @property {boolean} essential whether the system is of use only with it: the others are told of while it still starts
 * @property {string} operationsPortVariable fixes the port of its metrics and states
 * @property {boolean} hostable whether one process may run it beside others
 * @property {number} niceness of its process: who answers senders and people goes before who works behind the queues
 */

/** @param {string} name @param {string} urlVariable @param {Partial<Service>} [more] @returns {Service} */
const service = (name, urlVariable, more) => {
  const variable = name.toUpperCase().replaceAll('-', '_');
  return {
    name,
    entry: `dist/apps/${name}/src/main.js`,
    urlVariable,
    portVariable: `${variable}_PORT`,
    operationsPortVariable: `${variable}_OPERATIONS_PORT`,
    essential: true,
    hostable: true,
    niceness: 0,
    ...more,
  };
};

/** The name under which the port of a service's metrics and states is chosen and remembered. @param {string} name */
export const operationsOf = (name) => `${name} operations`;

/**
 * One thread against many: with an even share its answers would wait for what nobody waits for. Not more than that: it
 * would run for every request as it comes, and the batches that make it fast would get smaller.
 */
const answersSenders = { niceness: -3 };
const behindQueues = { niceness: 10 };

/** In the order in which they start. @type {Service[]} */
export const services = [
  service('credential-vault', 'VAULT_URL'),
  service('webhook-ingress', 'INGRESS_URL', answersSenders),
  service('adapter-gateway', 'GATEWAY_URL', behindQueues),
  service('router', 'ROUTER_URL', behindQueues),
  service('engine', 'ENGINE_URL', behindQueues),
  service('mcp-registry', 'MCP_REGISTRY_URL', behindQueues),
  service('python-runner', 'PYTHON_RUNNER_URL', { ...behindQueues, essential: false, hostable: false }),
  service('adapters', 'ADAPTERS_URL', behindQueues),
  service('portal', 'PORTAL_URL', {
    portVariable: 'GATEHOUSE_PORT',
    operationsPortVariable: 'GATEHOUSE_OPERATIONS_PORT',
  }),
];
