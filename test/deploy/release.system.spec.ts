import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../../scripts/launcher/project.mjs';
import { describeRendered, rendered } from './helm.js';
import { type Manifest, read, runnableApps } from './manifests.js';

interface Step {
  uses?: string;
  run?: string;
}
interface Workflow {
  permissions: Record<string, string>;
  jobs: Record<string, { needs?: string; steps: Step[] }>;
}
const workflows = ['ci', 'release'].map((name) => ({
  name,
  workflow: parse(read(`.github/workflows/${name}.yml`)) as Workflow,
}));
const steps = ({ jobs }: Workflow) => Object.values(jobs).flatMap((job) => job.steps);
const bake = read('docker-bake.hcl');
const dockerfile = read('Dockerfile');
const { version, scripts } = JSON.parse(read('package.json')) as { version: string; scripts: Record<string, string> };

describe('the images of a release', () => {
  it('are those of all apps', () => {
    const apps = [...(/variable "APPS" \{([\s\S]*?)\n\}/.exec(bake)?.[1] ?? '').matchAll(/"([\w-]+)"/g)];
    expect(apps.map(([, app]) => app).sort()).toEqual([...runnableApps(), 'host'].sort());
  });

  it('get no argument that the Dockerfile does not accept', () => {
    const given = [...(/args = \{([\s\S]*?)\}/.exec(bake)?.[1] ?? '').matchAll(/(\w+) +=/g)].map(([, name]) => name);
    const taken = new Set([...dockerfile.matchAll(/^ARG (\w+)/gm)].map(([, name]) => name));
    expect(given.length).toBeGreaterThan(3);
    expect(given.filter((name) => !taken.has(name))).toEqual([]);
  });

  it('are all based on the one image that a release names by its digest', () => {
    const bases = [...dockerfile.matchAll(/^FROM (?:--platform=\S+ )?(\S+)/gm)].map(([, name]) => name);
    const stages = [...dockerfile.matchAll(/^FROM .* AS (\w+)$/gm)].map(([, name]) => name);
    const others = new Set(bases.filter((name) => !stages.includes(name)));
    // `scratch` is empty: the image is a copy of the base without its tools.
    expect(others).toEqual(new Set(['${NODE_IMAGE}', 'scratch']));
    const named = workflows.at(-1)?.workflow;
    expect(named && steps(named).some(({ run }) => run?.includes('NODE_IMAGE=node:24-slim@$digest'))).toBe(true);
  });

  it('name the commit that they were built from', () => {
    const labels = [...dockerfile.matchAll(/org\.opencontainers\.image\.([\w.]+)=/g)].map(([, name]) => name);
    expect(labels).toEqual(
      expect.arrayContaining(['title', 'description', 'licenses', 'source', 'version', 'revision', 'base.name']),
    );
  });
});

describe.each(workflows)('the workflow $name', ({ workflow }) => {
  it('has read permission only by default', () => expect(workflow.permissions).toEqual({ contents: 'read' }));

  it('pins a version of each action', () => {
    const used = steps(workflow).flatMap(({ uses }) => uses ?? []);
    expect(used.length).toBeGreaterThan(1);
    for (const action of used) expect(action).toMatch(/@(v\d+(\.\d+\.\d+)?|[0-9a-f]{40})$/);
  });

  it('runs commands that exist, with valid shell syntax', () => {
    for (const run of steps(workflow).flatMap((step) => step.run ?? [])) {
      expect(spawnSync('bash', ['-n'], { input: run, encoding: 'utf8' }).stderr).toBe('');
      for (const [, file = ''] of run.matchAll(/(?:node|bash|-f) ((?:scripts\/|\.ci\/|docker-)\S+)/g)) {
        expect([file, existsSync(join(root, file))]).toEqual([file, true]);
      }
      for (const [, name = ''] of run.matchAll(/npm run ([\w:]+)/g)) expect(scripts).toHaveProperty(name);
    }
  });

  it('passes every test before anything is published', () => {
    const [first, ...others] = Object.entries(workflow.jobs);
    expect(first?.[1].steps.at(-1)?.run).toBe('bash .ci/run');
    for (const [, job] of others) expect(job.needs).toBe(first?.[0]);
  });
});

describe('the chart of a release', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-release-'));
  const out = join(folder, 'chart');
  afterAll(() => rmSync(folder, { recursive: true }));

  const digestOf = (app: string) => `sha256:${Buffer.from(app).toString('hex').padEnd(64, '0')}`;
  const release = (apps: string[]) => {
    const images = join(folder, 'images.json');
    const built = apps.map((app) => [`release-${app}`, { 'containerimage.digest': digestOf(app) }]);
    writeFileSync(images, JSON.stringify(Object.fromEntries(built)));
    const args = ['--version', '9.8.7', '--repository', 'ghcr.io/some/gatehouse', '--images', images, '--out', out];
    return spawnSync(process.execPath, [join(root, 'scripts/release-chart.mjs'), ...args], { encoding: 'utf8' });
  };

  it('has the version of package.json until then', () => {
    expect(parse(read('k8s/chart/Chart.yaml'))).toMatchObject({ version, appVersion: version });
  });

  it('is not made while the digest of an image is missing', () => {
    const { status, stderr } = release(runnableApps().filter((app) => app !== 'router'));
    expect([status, stderr]).toEqual([1, expect.stringContaining('no digest of router')]);
  });

  describeRendered('when it is made', () => {
    const imagesOf = (objects: Manifest[]): Set<string | undefined> =>
      new Set(
        objects
          .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
          .flatMap(({ spec }) => spec?.template?.spec.containers.map(({ image }) => image)),
      );
    const imageOf = (app: string): string => `ghcr.io/some/gatehouse/${app}:9.8.7@${digestOf(app)}`;

    it('has the images by digest, its version, and files in place of links', () => {
      expect(release([...runnableApps(), 'host'])).toMatchObject({ status: 0 });
      expect(lstatSync(join(out, 'dashboards')).isDirectory()).toBe(true);
      const objects = rendered({ monitoring: { dashboards: { enabled: true } } }, out);
      expect(imagesOf(objects)).toEqual(new Set(runnableApps().map(imageOf)));
      expect(imagesOf(rendered({ path: { enabled: true } }, out))).toContain(imageOf('host'));
      const shown = objects.find(({ metadata }) => metadata.name === 'gatehouse-dashboards');
      expect(Object.keys(shown?.data ?? {})).toContain('pipeline.json');
    });
  });
});
