// Who may reach whom by the NetworkPolicies of a release, and who does.

/** @typedef {{namespace: string, labels: Record<string, string>}} Pod */

/** @param {any} selector @param {Record<string, string>} labels */
const selects = (selector, labels) =>
  Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
  (selector.matchExpressions ?? []).every(
    (/** @type {any} */ { key, operator, values }) => values.includes(labels[key] ?? '') === (operator === 'In'),
  );

/**
 * Peers by address are not judged here: no target of the test has a public one, and private ones are excepted.
 * @param {any} peer @param {Pod} pod @param {string} own
 */
const isPeer = (peer, pod, own) =>
  !peer.ipBlock &&
  (peer.namespaceSelector
    ? selects(peer.namespaceSelector, { 'kubernetes.io/metadata.name': pod.namespace })
    : pod.namespace === own) &&
  (!peer.podSelector || selects(peer.podSelector, pod.labels));

/**
 * @param {any[]} policies @param {'Ingress' | 'Egress'} direction
 * @param {Pod} pod whose policies count @param {Pod} other @param {number} port
 */
function passes(policies, direction, pod, other, port) {
  const its = policies.filter(
    ({ metadata, spec }) =>
      metadata.namespace === pod.namespace &&
      spec.policyTypes.includes(direction) &&
      selects(spec.podSelector, pod.labels),
  );
  const [rules, peers] = direction === 'Ingress' ? ['ingress', 'from'] : ['egress', 'to'];
  const allows = (/** @type {any} */ rule) =>
    (!rule.ports || rule.ports.some((/** @type {any} */ each) => each.port === port)) &&
    (!rule[peers] || rule[peers].some((/** @type {any} */ peer) => isPeer(peer, other, pod.namespace)));
  return its.length === 0 || its.some(({ spec }) => (spec[rules] ?? []).some(allows));
}

/**
 * @param {any[]} policies
 * @param {Pod} from @param {Pod} to @param {number} port
 */
export const mayReach = (policies, from, to, port) =>
  passes(policies, 'Egress', from, to, port) && passes(policies, 'Ingress', to, from, port);

/** Tries each address by TCP from inside a pod, and prints those that answer. */
const KNOCK = `
const { connect } = await import('node:net');
const open = (target) => new Promise((resolve) => {
  const [host, port] = target.split('|')[1].split(':');
  const socket = connect({ host, port: Number(port), timeout: 3000 });
  const end = (answer) => { socket.destroy(); resolve(answer); };
  socket.on('connect', () => end([target.split('|')[0]])).on('timeout', () => end([])).on('error', () => end([]));
});
console.log(JSON.stringify((await Promise.all(process.argv.slice(1).map(open))).flat()));`;

/**
 * From a pod of each service to each target.
 * @param {import('./kubectl.mjs').Kubectl} kubectl @param {string[]} services
 */
export async function matrix(kubectl, services) {
  const { items: policies } = await kubectl.json('networkpolicies', '-A');
  const { items: pods } = await kubectl.json('pods', '-A');
  const running = pods.filter(
    (/** @type {any} */ { metadata, status }) => status.phase === 'Running' && !metadata.deletionTimestamp,
  );
  const podOf = (/** @type {string} */ name) => {
    const pod = running.find((/** @type {any} */ { metadata }) => metadata.labels?.['app.kubernetes.io/name'] === name);
    if (!pod) throw new Error(`no pod of ${name} runs`);
    return {
      name: pod.metadata.name,
      namespace: pod.metadata.namespace,
      labels: pod.metadata.labels,
      ip: pod.status.podIP,
    };
  };
  const api = (await kubectl.json('endpoints', 'kubernetes', '-n', 'default')).subsets[0];
  const targets = [
    ...services.map((name) => ({ name, port: 8080, pod: podOf(name) })),
    { name: 'postgres', port: 5432, pod: podOf('postgres') },
    { name: 'redis', port: 6379, pod: podOf('redis') },
    { name: 'operations of the router', port: 9090, pod: podOf('router') },
    { name: 'observer', port: 9000, pod: podOf('observer') },
    { name: 'API server', port: api.ports[0].port, pod: { ip: api.addresses[0].ip, namespace: 'none', labels: {} } },
  ];
  const wrong = [];
  let [pairs, open] = [0, 0];
  for (const service of services) {
    const from = podOf(service);
    // What a pod sends to itself passes no policy.
    const others = targets.filter(({ pod }) => pod.ip !== from.ip);
    const asked = others.map(({ name, port, pod }) => `${name}|${pod.ip}:${port}`);
    const reached = JSON.parse(await kubectl.node(from.name, KNOCK, ...asked));
    pairs += others.length;
    open += reached.length;
    for (const { name, port, pod } of others) {
      const [may, does] = [mayReach(policies, from, pod, port), reached.includes(name)];
      if (may !== does) wrong.push(`${service} ${does ? 'reaches' : 'does not reach'} ${name}`);
    }
  }
  return { pairs, open, wrong };
}
