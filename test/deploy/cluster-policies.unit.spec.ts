import { mayReach } from '../../scripts/cluster/policies.mjs';
import { built, describeBuilt } from './kustomize.js';
import { runnableApps, type Manifest } from './manifests.js';

describeBuilt('who reaches whom by the policies, as test:cluster expects it', () => {
  let objects: Manifest[];
  let policies: Manifest[];
  beforeAll(() => {
    objects = built('test');
    policies = objects.filter(({ kind }) => kind === 'NetworkPolicy');
  });
  const pod = (name: string) => {
    const owner = objects.find(({ kind, metadata }) => /Deployment|StatefulSet/.test(kind) && metadata.name === name);
    return { namespace: 'gatehouse', labels: owner?.spec?.template?.metadata.labels ?? {} };
  };
  const callers = (name: string, port: number) =>
    runnableApps().filter((from) => mayReach(policies, pod(from), pod(name), port));
  const withStores = runnableApps().filter((name) => !['adapters', 'python-runner'].includes(name));

  it.each([
    ['adapters', 8080, ['adapter-gateway']],
    ['python-runner', 8080, ['engine', 'mcp-registry']],
    ['engine', 8080, ['adapter-gateway', 'mcp-registry', 'portal', 'python-runner', 'router']],
    ['mcp-registry', 8080, ['adapter-gateway', 'engine', 'portal']],
    ['portal', 8080, withStores],
    ['router', 9090, []],
    ['postgres', 5432, withStores],
    ['redis', 6379, withStores],
    ['postgres', 6379, []],
  ])('only those that are listed reach %s at port %d', (name, port, expected) =>
    expect(callers(name, port).sort()).toEqual([...expected].sort()),
  );

  it("lets what reaches the internet reach the test's pod, and nobody else, nor another namespace or the API server", () => {
    const elsewhere = (namespace: string) => ({ namespace, labels: {} });
    const reaching = (namespace: string, port: number) =>
      runnableApps().filter((from) => mayReach(policies, pod(from), elsewhere(namespace), port));
    const online = runnableApps().filter((name) => pod(name).labels['gatehouse.dev/internet'] === 'true');
    expect(online.length).toBeGreaterThan(2);
    expect(reaching('gatehouse-test', 9000).sort()).toEqual(online.sort());
    expect(reaching('gatehouse-test', 9001)).toEqual([]);
    expect(reaching('default', 443)).toEqual([]);
  });
});
