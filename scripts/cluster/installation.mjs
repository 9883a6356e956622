// The installation under test, and the pod that sends to it and receives from it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../launcher/project.mjs';
import { services } from '../launcher/services.mjs';
import { run, until } from '../disturbance/command.mjs';
import { kubectlBy } from './kubectl.mjs';
import { manifestsOf } from './release.mjs';

const NAMES = services.map(({ name }) => name);
const named = (/** @type {string} */ name) => ({ metadata: { name, labels: { 'kubernetes.io/metadata.name': name } } });

/** Channels reply to the observer. */
const REPLY_HERE = `const [app, key] = process.argv.slice(1);
const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' };
const body = JSON.stringify({ reply_address: 'http://observer.gatehouse-test:9000/replies' });
const answer = await fetch('http://portal.gatehouse:8080/api/v1/channels/' + app, { method: 'PATCH', body, headers });
if (!answer.ok) throw new Error(await answer.text());`;

/** @param {import('./options.mjs').Options} options */
export async function connect(options) {
  const kubectl = kubectlBy(options.kubectl);
  const version = JSON.parse(await kubectl(['version', '-o', 'json'])).serverVersion;
  const nodes = (await kubectl.json('nodes')).items;
  const schedulable = nodes.filter(
    (/** @type {any} */ { spec }) =>
      !spec.unschedulable &&
      !(spec.taints ?? []).some((/** @type {any} */ { effect }) => effect !== 'PreferNoSchedule'),
  );
  const [home, victim] = schedulable.map((/** @type {any} */ { metadata }) => metadata.name);
  if (!victim) throw new Error('two nodes that take pods are needed: one of them is drained and cut off');
  for (const name of ['gatehouse', 'gatehouse-test']) {
    const there = await kubectl(['get', 'namespace', name, '--ignore-not-found', '-o', 'name']);
    if (there) throw new Error(`the cluster has the namespace ${name}: this test makes and deletes it`);
  }
  // Who filters knows that this cluster lacks some fields, and drops them.
  const validate = options.filter ? ['--validate=false'] : [];
  const apply = (/** @type {string} */ text) => kubectl(['apply', ...validate, '-f', '-'], text);
  let release = { tag: options.tag, home, rollout: '0', settings: {} };

  const installation = {
    kubectl,
    names: NAMES,
    version: version.gitVersion,
    nodes: nodes.map((/** @type {any} */ { status }) => status.nodeInfo),
    home,
    victim,
    /** Changes what runs, and waits until it does. @param {Partial<typeof release>} change */
    async change(change) {
      release = { ...release, ...change };
      await apply(await manifestsOf(options, release));
      await installation.settled();
    },
    /** Rolls every pod. */
    roll: () => installation.change({ rollout: String(Number(release.rollout) + 1) }),
    /** Waits until each Deployment has its replicas, of the newest template. */
    settled: () =>
      until('all Deployments have rolled', async () => {
        const { items } = await kubectl.json('deployments', '-n', 'gatehouse');
        return items.every(({ metadata, spec, status }) => {
          const { observedGeneration, updatedReplicas, availableReplicas, replicas } = status;
          return (
            observedGeneration >= metadata.generation &&
            [updatedReplicas, availableReplicas, replicas].every((count) => count === spec.replicas)
          );
        });
      }),
    /** Deployments whose replicas share a node, though there are others. */
    async together() {
      const { items } = await kubectl.json('pods', '-n', 'gatehouse');
      return NAMES.filter((name) => {
        const on = items
          .filter(
            ({ metadata, status }) =>
              metadata.labels['app.kubernetes.io/name'] === name &&
              !metadata.deletionTimestamp &&
              status.phase === 'Running',
          )
          .map(({ spec }) => spec.nodeName);
        return on.length > 1 && new Set(on).size < Math.min(on.length, schedulable.length);
      });
    },
    /** @param {string} path @param {object} [body] @returns {Promise<any>} */
    observer: async (path, body) =>
      JSON.parse(
        await kubectl.node(
          'observer',
          "const [at, body] = process.argv.slice(1); console.log(await (await fetch('http://127.0.0.1:9000' + at, { method: 'POST', body })).text());",
          path,
          JSON.stringify(body ?? {}),
        ),
      ),
    webhook: '',
    async install() {
      for (const name of ['gatehouse', 'gatehouse-test'])
        await apply(JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', ...named(name) }));
      if (options.extra) await apply(readFileSync(options.extra, 'utf8'));
      await apply(readFileSync(join(root, 'k8s/base/namespace.yaml'), 'utf8'));
      await apply(await run([process.execPath, join(root, 'scripts/make-secrets.mjs'), '--kubernetes']));
      const script = [
        'create',
        'configmap',
        'gatehouse-backup',
        '-n',
        'gatehouse',
        `--from-file=${join(root, 'deploy/backup.sh')}`,
        `--from-file=${join(root, 'package.json')}`,
      ];
      await kubectl(script);
      await observe(apply, kubectl, `${options.repository}/portal:${options.tag}`, home);
      await installation.change({});
      const bootstrap = [
        'exec',
        '-n',
        'gatehouse',
        'deploy/portal',
        '-c',
        'app',
        '--',
        'node',
        'dist/apps/portal/src/bootstrap/main.js',
        '--owner-link',
        '--api-key',
      ];
      const made = JSON.parse((await kubectl(bootstrap)).trim().split('\n').at(-1) ?? '');
      installation.webhook = `http://webhook-ingress.gatehouse:8080${made.webhook_url_path}`;
      await kubectl.node('observer', REPLY_HERE, String(made.app_id), made.api_key);
    },
    async remove() {
      await kubectl(['delete', 'namespace', 'gatehouse', 'gatehouse-test', '--ignore-not-found']);
    },
  };

  return installation;
}

/** @typedef {Awaited<ReturnType<typeof connect>>} Installation */

/** @param {(text: string) => Promise<string>} apply @param {import('./kubectl.mjs').Kubectl} kubectl @param {string} image @param {string} node */
async function observe(apply, kubectl, image, node) {
  const labels = { 'app.kubernetes.io/name': 'observer' };
  const source = readFileSync(join(root, 'scripts/disturbance/observer.mjs'), 'utf8');
  const metadata = { name: 'observer', namespace: 'gatehouse-test', labels };
  const objects = [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'observer.mjs': source } },
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: labels, ports: [{ port: 9000 }] } },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata,
      spec: {
        nodeSelector: { 'kubernetes.io/hostname': node },
        automountServiceAccountToken: false,
        containers: [
          {
            name: 'app',
            image,
            command: ['node', '/test/observer.mjs'],
            volumeMounts: [{ name: 'test', mountPath: '/test' }],
          },
        ],
        volumes: [{ name: 'test', configMap: { name: 'observer' } }],
      },
    },
  ];
  for (const object of objects) await apply(JSON.stringify(object));
  await kubectl(['wait', '-n', 'gatehouse-test', 'pod/observer', '--for=condition=ready', '--timeout=600s']);
}
