/**
 * One service of the system, by default a process.
 * @typedef {object} Service
 * @property {string} name also its folder in apps/ and its log's name
 * @property {string} entry what Node runs, from the project's root
 * @property {string} urlVariable gives the others its address
 * @property {string} portVariable sets its port
 * @property {boolean} essential whether startup waits for it; the others may still be starting when the system is announced
 * @property {string} operationsPortVariable sets the port of its metrics and states
 * @property {boolean} hostable whether it may share a process with others
 * @property {number} niceness of its process: answering senders and people comes before work behind the queues
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

/** The name under which the port of a service's metrics and states is remembered. @param {string} name */
export const operationsOf = (name) => `${name} operations`;

/**
 * The ingress has one thread against many. With an even share, its answers would wait for background work. A higher
 * priority would make it run for every single request, so that its batches, which make it fast, would get smaller.
 */
const answersSenders = { niceness: -3 };
const behindQueues = { niceness: 10 };

/** In the order of their start. @type {Service[]} */
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
