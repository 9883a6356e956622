// What gets applied: the overlay `test`, or the chart with the same stores, as the rows change it.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { findHelm } from '../chart/helm.mjs';
import { root } from '../launcher/project.mjs';
import { run } from '../disturbance/command.mjs';

/**
 * @typedef {object} Release
 * @property {string} tag
 * @property {string} home the node of the stores, which stays
 * @property {string} rollout another text rolls all pods, as `kubectl rollout restart` does
 * @property {Record<string, string>} settings
 */

/** @param {import('./options.mjs').Options} options @param {Release} release @returns {Promise<string>} */
export async function manifestsOf(options, release) {
  const text = options.helm ? await rendered(options, release) : await built(options, release);
  return options.filter ? run(['sh', '-c', options.filter], text) : text;
}

/** Kept by an annotation of the pods. @param {string} rollout */
const annotation = (rollout) => ({ 'gatehouse.dev/test-rollout': rollout });

/** @param {import('./options.mjs').Options} options @param {Release} release @param {string} [folder] */
async function built({ kubectl, repository }, { tag, home, rollout, settings }, folder = 'overlays/test') {
  const copy = mkdtempSync(join(tmpdir(), 'gatehouse-cluster-'));
  try {
    cpSync(join(root, 'k8s'), copy, { recursive: true });
    const file = join(copy, folder, 'kustomization.yaml');
    const overlay = parse(readFileSync(file, 'utf8'));
    for (const image of overlay.images ?? []) {
      image.newName = image.name.replace('gatehouse', repository);
      image.newTag = tag;
    }
    const patch = (/** @type {object} */ target, /** @type {object[]} */ operations) => ({
      target,
      patch: stringify(operations),
    });
    const replaced = Object.entries(settings).map(([name, value]) => ({ op: 'add', path: `/data/${name}`, value }));
    overlay.patches = [
      ...(overlay.patches ?? []),
      patch({ kind: 'StatefulSet' }, [
        { op: 'add', path: '/spec/template/spec/nodeSelector', value: { 'kubernetes.io/hostname': home } },
      ]),
      ...(folder === 'overlays/test'
        ? [
            patch({ kind: 'Deployment' }, [
              { op: 'add', path: '/spec/template/metadata/annotations', value: annotation(rollout) },
            ]),
            ...(replaced.length > 0 ? [patch({ kind: 'ConfigMap', name: 'gatehouse' }, replaced)] : []),
          ]
        : []),
    ];
    overlay.namespace = 'gatehouse';
    writeFileSync(file, stringify(overlay));
    return await run([...kubectl.split(' '), 'kustomize', join(copy, folder)]);
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/** @param {import('./options.mjs').Options} options @param {Release} release */
async function rendered(options, release) {
  const helm = await findHelm();
  if ('missing' in helm) throw new Error(`--helm: ${helm.missing}`);
  const overlay = parse(readFileSync(join(root, 'k8s/overlays/test/kustomization.yaml'), 'utf8'));
  const services = overlay.replicas.map((/** @type {{name: string, count: number}} */ { name, count }) => [
    name,
    {
      replicas: count,
      autoscaling: { enabled: false },
      podAnnotations: annotation(release.rollout),
      resources: { requests: { cpu: '25m', memory: '128Mi' } },
    },
  ]);
  const values = {
    image: { repository: options.repository, tag: release.tag },
    settings: {
      PUBLIC_URL: 'http://gatehouse.localhost',
      GATEHOUSE_EGRESS_ALLOW: 'observer.gatehouse-test:9000',
      ...release.settings,
    },
    services: Object.fromEntries(services),
    databaseRoles: { enabled: true },
    backup: { enabled: true },
  };
  const chart = join(root, 'k8s/chart');
  const ours = await run(
    [helm.binary, 'template', 'gatehouse', chart, '-n', 'gatehouse', '--values', '-'],
    stringify(values),
  );
  const stores = await built(options, release, 'overlays/dev/stores');
  const policy = readFileSync(join(root, 'k8s/overlays/test/to-observer.yaml'), 'utf8');
  // Helm and Kubernetes read YAML 1.1, where 0440 is octal.
  const all = [ours, stores, policy].flatMap((text) => parseAllDocuments(text, { version: '1.1' }));
  return all
    .flatMap((document) => document.toJS() ?? [])
    .map((object) => `${JSON.stringify({ ...object, metadata: { namespace: 'gatehouse', ...object.metadata } })}\n`)
    .join('---\n');
}
