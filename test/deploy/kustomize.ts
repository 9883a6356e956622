import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { manifestsOf, type Manifest } from './manifests.js';

const k8s = fileURLToPath(new URL('../../k8s', import.meta.url));

export const overlays = ['dev', 'production'];
/** Their folders below `k8s/components`. A nested one needs both components in its path. */
export const components = readdirSync(join(k8s, 'components'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('/kustomization.yaml'))
  .map((path) => dirname(path))
  // `path` before others, which change what it makes.
  .sort((one, other) => Number(other === 'path') - Number(one === 'path') || (one < other ? -1 : 1));

/** No component, each one with those that it needs, and all of them. */
export const choices = [[], ...components.map((name) => [...new Set([...name.split('/'), name])]), components];

const answers = spawnSync('kubectl', ['kustomize', '--help']).status === 0;
if (!answers && process.env['CI']) throw new Error('kubectl is not on the PATH, and CI has to build the overlays');

/** `describe`; without kubectl it reports "skipped". CI must have kubectl. */
export const describeBuilt = answers ? describe : describe.skip;

interface Kustomization {
  components?: string[];
  images?: { name: string; newName?: string; newTag: string }[];
  patches?: unknown;
}

/**
 * The objects of an overlay with these additional components, as `kubectl apply -k` would send them. `change` modifies
 * the overlay first.
 */
export function built(
  overlay: string,
  more: string[] = [],
  change?: (kustomization: Kustomization) => void,
): Manifest[] {
  const copy = mkdtempSync(join(tmpdir(), 'gatehouse-k8s-'));
  try {
    cpSync(k8s, copy, { recursive: true });
    const file = join(copy, 'overlays', overlay, 'kustomization.yaml');
    const kustomization = parse(readFileSync(file, 'utf8')) as Kustomization;
    const paths = more.map((name) => `../../components/${name}`);
    kustomization.components = [...new Set([...(kustomization.components ?? []), ...paths])];
    change?.(kustomization);
    writeFileSync(file, stringify(kustomization));
    const { stdout, stderr, status } = spawnSync('kubectl', ['kustomize', join(copy, 'overlays', overlay)], {
      encoding: 'utf8',
      maxBuffer: 16 * 1024 * 1024,
    });
    if (status !== 0 || stderr !== '') throw new Error(`kubectl kustomize ${overlay} ${more.join(' ')}: ${stderr}`);
    return manifestsOf(stdout);
  } finally {
    rmSync(copy, { recursive: true });
  }
}
