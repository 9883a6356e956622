import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments, parseDocument, stringify } from 'yaml';
import { findHelm } from '../../scripts/chart/helm.mjs';
import { read, type Manifest } from './manifests.js';

const found: { binary?: string; missing?: string } = await findHelm();
if (found.missing) console.warn(`The chart is not rendered: ${found.missing}.`);

/** `describe`; without Helm it reports "skipped". */
export const describeRendered = found.binary ? describe : describe.skip;

const chart = fileURLToPath(new URL('../../k8s/chart', import.meta.url));
export const chartValues = () => parseDocument(read('k8s/chart/values.yaml')).toJS() as Record<string, unknown>;
export const chartVersion = () =>
  (parseDocument(read('k8s/chart/Chart.yaml')).toJS() as { appVersion: string }).appVersion;

/** Renders the chart, or that of another folder, with the values of standard input in addition to its own. */
export function helm(command: 'lint' | 'template', values: object = {}, folder = chart) {
  const args = command === 'lint' ? ['lint', '--strict', folder] : ['template', 'release', folder, '-n', 'gatehouse'];
  const { status, stdout, stderr } = spawnSync(found.binary ?? 'helm', [...args, '--values', '-'], {
    encoding: 'utf8',
    input: stringify(values),
    maxBuffer: 16 * 1024 * 1024,
  });
  return { status, stdout, stderr };
}

/** The objects of a release with these values. */
export function rendered(values: object = {}, folder = chart): Manifest[] {
  const { status, stdout, stderr } = helm('template', values, folder);
  if (status !== 0) throw new Error(stderr);
  // Helm and Kubernetes read YAML 1.1, where 0440 is octal.
  const documents = parseAllDocuments(stdout, { version: '1.1' });
  for (const { errors } of documents) if (errors[0]) throw errors[0];
  return documents.flatMap((document) => (document.toJS() as Manifest | null) ?? []);
}
