import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { services } from '../../scripts/launcher/services.mjs';
import { commandsOf } from './guide.js';

const root = join(import.meta.dirname, '../..');
const k8s = readdirSync(join(root, 'k8s'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => readFileSync(join(root, 'k8s', file), 'utf8'))
  .join('\n---\n');

describe('the guide to run on Kubernetes', () => {
  const commands = commandsOf('run-on-kubernetes.md').join('\n');

  it('builds an image of each service, by the name that the manifests use', () => {
    const [, listed = ''] = /for app in (.*?); do/.exec(commands) ?? [];
    expect(listed.split(' ').toSorted()).toEqual(services.map(({ name }) => name).toSorted());
    for (const app of listed.split(' ')) expect([app, k8s.includes(`image: gatehouse/${app}`)]).toEqual([app, true]);
  });

  it('names only files that there are', () => {
    const files = [...commands.matchAll(/(?:-[fk]|node) ((?:k8s|scripts)\/\S+)/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(2);
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    const [, entry = ''] = /-- node dist\/(\S+)\.js/.exec(commands) ?? [];
    expect(existsSync(join(root, `${entry}.ts`))).toBe(true);
  });

  it('names only Deployments and containers that there are', () => {
    const names = [...commands.matchAll(/deploy\/(\S+)/g)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names)
      expect(k8s).toMatch(new RegExp(`kind: Deployment\\nmetadata:\\n(?:  .*\\n)*?  name: ${name}\\n`));
  });
});
