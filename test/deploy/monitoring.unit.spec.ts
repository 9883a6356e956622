import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { built, describeBuilt } from './kustomize.js';
import { type Manifest, manifestsOf, read } from './manifests.js';
import { complaint } from './schema.js';

interface Rule {
  alert: string;
  expr: string;
  annotations: { summary: string; runbook_url: string };
}
interface Dashboard {
  uid: string;
  panels: { id: number; title: string; targets: { expr: string }[] }[];
}

const root = new URL('../../', import.meta.url);
const dashboardsDir = new URL('k8s/components/monitoring/dashboards/', root);
const [prometheusRule] = manifestsOf(read('k8s/components/monitoring/alerts.yaml')) as unknown as {
  spec: { groups: { rules: Rule[] }[] };
}[];
const groups = prometheusRule?.spec.groups ?? [];
const rules = groups.flatMap((group) => group.rules);
const dashboards = readdirSync(dashboardsDir).map((file) => ({
  file,
  dashboard: JSON.parse(readFileSync(new URL(file, dashboardsDir), 'utf8')) as Dashboard,
}));

/** The code of all services, without tests. */
const source = ['apps', 'libs']
  .flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\/src\/.*\.ts$/.test(file) && !/\.spec\.ts$|\/testing\//.test(file))
      .map((file) => readFileSync(new URL(`${folder}/${file}`, root), 'utf8')),
  )
  .join('\n');
const documented = read('docs/operations.md');
/** From `prom-client` itself: `collectDefaultMetrics`. */
const ofEachProcess = /^(process|nodejs)_/;

/**
 * The queried metrics: names before a selector, a range or a bracket. `_bucket`, `_count` and `_sum` belong to one
 * histogram.
 */
function metricsIn(expr: string): string[] {
  const names = expr.matchAll(/\b((?:gatehouse|process|nodejs)_\w+)/g);
  return [...names].map(([, name = '']) => name.replace(/_(bucket|count|sum)$/, ''));
}
const asked = [
  ...rules.map(({ alert, expr }) => ({ where: alert, expr })),
  ...dashboards.flatMap(({ file, dashboard }) =>
    dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ where: `${file}: ${title}`, expr }))),
  ),
];

describe('alerts and dashboards', () => {
  it('query metrics that the code exports', () => {
    const wrong = asked.flatMap(({ where, expr }) =>
      metricsIn(expr).flatMap((name) =>
        ofEachProcess.test(name) || source.includes(`'${name}'`) ? [] : [`${where}: ${name}`],
      ),
    );
    expect(wrong).toEqual([]);
    expect(asked.filter(({ expr }) => metricsIn(expr).length === 0)).toEqual([]);
    expect(asked.length).toBeGreaterThan(40);
  });

  it('use one data source each, with panels that do not overlap', () => {
    expect(dashboards.map(({ file }) => file).sort()).toEqual(
      ['adapters', 'engine', 'ingress', 'pipeline', 'vault'].map((name) => `${name}.json`),
    );
    const kustomization = read('k8s/components/monitoring/kustomization.yaml');
    for (const { file, dashboard } of dashboards) {
      expect(kustomization).toContain(`dashboards/${file}`);
      expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    }
  });

  it('use metrics that the reference lists', () => {
    const exported = [...source.matchAll(/(?:name: |gauge\(\s*)'(gatehouse_[a-z_]+)'/g)].map(([, name = '']) => name);
    expect(exported.length).toBeGreaterThan(15);
    expect(exported.filter((name) => !documented.includes(`\`${name}\``))).toEqual([]);
  });
});

describeBuilt('in a cluster', () => {
  it('dashboards are where Grafana looks for them, and traces have a way to the collector', async () => {
    const manifests = built('production', ['monitoring', 'tracing']);
    const named = (kind: string, name: string) =>
      manifests.find((one) => one.kind === kind && one.metadata.name.startsWith(name)) as
        (Manifest & { data?: Record<string, string>; metadata: { labels?: object } }) | undefined;
    const shown = named('ConfigMap', 'gatehouse-dashboards');
    expect(shown?.metadata.labels).toMatchObject({ grafana_dashboard: '1' });
    expect(Object.keys(shown?.data ?? {}).sort()).toEqual(dashboards.map(({ file }) => file).sort());
    const collector = manifests.find(
      ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'to-collector',
    );
    expect(collector && (await complaint(collector))).toBeNull();
    const settings = manifests.filter(({ kind }) => kind === 'ConfigMap') as (Manifest & {
      data: Record<string, string>;
    })[];
    expect(settings.some(({ data }) => data['OTEL_EXPORTER_OTLP_ENDPOINT']?.endsWith(':4318'))).toBe(true);
  });
});

describe('each alert', () => {
  it.each(rules)('$alert says what is wrong, and has a page with what to do', ({ alert, annotations }) => {
    expect(annotations.summary.length).toBeGreaterThan(20);
    expect(annotations.runbook_url).toBe(`docs/runbooks/${alert}.md`);
    const page = read(annotations.runbook_url);
    for (const part of [`# ${alert}`, '## What it means', '## What to look at', '## What to do', '## Tried']) {
      expect(page).toContain(part);
    }
    expect(read('docs/runbooks/README.md')).toContain(`(${alert}.md)`);
  });

  it('has a page, and there are no other pages', () => {
    const pages = readdirSync(new URL('docs/runbooks/', root)).filter((file) => file !== 'README.md');
    expect(pages.sort()).toEqual(rules.map(({ alert }) => `${alert}.md`).sort());
  });

  const promtool = ['promtool', process.env.PROMTOOL ?? ''].find(
    (path) => path !== '' && spawnSync(path, ['--version']).status === 0,
  );
  (promtool ? it : it.skip)('is one that promtool understands', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-rules-'));
    const file = join(folder, 'rules.json');
    // JSON is YAML.
    writeFileSync(file, JSON.stringify({ groups }));
    expect(execFileSync(promtool ?? '', ['check', 'rules', file], { encoding: 'utf8' })).toContain('SUCCESS');
    rmSync(folder, { recursive: true });
  });
});
