// Writes the chart of a release to dist/chart/gatehouse, with its version, the registry of its images, and each image
// by digest.
//   node scripts/release-chart.mjs --version 1.2.3 --repository ghcr.io/OWNER/gatehouse --images FILE
// FILE is what `docker buildx bake release --metadata-file FILE` writes.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled } from './launcher/install.mjs';
import { ensureNode } from './launcher/node.mjs';
import { root } from './launcher/project.mjs';
import { runScript, say } from './launcher/say.mjs';

await runScript(async () => {
  await ensureNode();
  await ensureInstalled();
  const { parseDocument } = await import('yaml');
  const text = /** @type {const} */ ({ type: 'string' });
  const options = { version: text, repository: text, images: text, out: text };
  const { version, repository, images, out = 'dist/chart/gatehouse' } = parseArgs({ options }).values;
  if (!version || !repository || !images) throw new Error('--version, --repository and --images are needed');
  /** @type {Record<string, {'containerimage.digest'?: string}>} */
  const built = JSON.parse(readFileSync(resolve(root, images), 'utf8'));

  const folder = resolve(root, out);
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(root, 'k8s/chart'), folder, { recursive: true });
  // The published chart has files in place of the links.
  rmSync(join(folder, 'dashboards'));
  cpSync(join(root, 'k8s/components/monitoring/dashboards'), join(folder, 'dashboards'), { recursive: true });
  const edit = (/** @type {string} */ name, /** @type {(document: import('yaml').Document) => void} */ change) => {
    const file = join(folder, name);
    const document = parseDocument(readFileSync(file, 'utf8'));
    change(document);
    writeFileSync(file, document.toString({ lineWidth: 0 }));
  };
  edit('Chart.yaml', (chart) => {
    chart.set('version', version);
    chart.set('appVersion', version);
  });
  edit('values.yaml', (values) => {
    values.setIn(['image', 'repository'], repository);
    for (const service of Object.keys(values.toJS().services)) {
      const image = service === 'path' ? 'host' : service;
      const digest = built[`release-${image}`]?.['containerimage.digest'];
      if (!/^sha256:[0-9a-f]{64}$/.test(digest ?? '')) throw new Error(`${images} has no digest of ${image}`);
      values.setIn(['services', service, 'image', 'digest'], digest);
    }
  });
  say(`${folder}: release ${version}`);
});
