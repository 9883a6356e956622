// Writes the Helm chart's templates and values from the kustomize base and components; with --check it only compares.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ensureInstalled } from './launcher/install.mjs';
import { ensureNode } from './launcher/node.mjs';
import { root } from './launcher/project.mjs';
import { runScript, say } from './launcher/say.mjs';

const chart = join(root, 'k8s/chart');
const written = ['templates/base', 'templates/components'];

await runScript(async () => {
  await ensureNode();
  await ensureInstalled();
  const [{ templates }, { valuesOf }, prettier] = await Promise.all([
    import('./chart/templates.mjs'),
    import('./chart/values.mjs'),
    import('prettier'),
  ]);
  const values = join(chart, 'values.yaml');
  const style = await prettier.resolveConfig(values);
  const made = {
    ...templates(),
    'values.yaml': await prettier.format(valuesOf(readFileSync(values, 'utf8')), { ...style, filepath: values }),
  };
  const there = written.flatMap((folder) => filesIn(folder));
  const drifted = [
    ...Object.entries(made).flatMap(([path, text]) => (textAt(path) === text ? [] : [path])),
    ...there.filter((path) => !(path in made)),
  ];
  if (drifted.length === 0) return;
  if (process.argv.includes('--check'))
    throw new Error(`k8s/chart does not match k8s/base (${drifted.join(', ')}): run node scripts/chart.mjs`);
  for (const folder of written) rmSync(join(chart, folder), { recursive: true, force: true });
  for (const [path, text] of Object.entries(made)) {
    mkdirSync(dirname(join(chart, path)), { recursive: true });
    writeFileSync(join(chart, path), text);
  }
  say(`k8s/chart: ${drifted.length} files are written`);
});

/** @param {string} folder @returns {string[]} */
function filesIn(folder) {
  try {
    return readdirSync(join(chart, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(chart, join(entry.parentPath, entry.name)));
  } catch {
    return [];
  }
}

/** @param {string} path */
function textAt(path) {
  try {
    return readFileSync(join(chart, path), 'utf8');
  } catch {
    return null;
  }
}
