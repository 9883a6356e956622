import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../../scripts/launcher/project.mjs';

const run = (...options: string[]) =>
  spawnSync(process.execPath, [join(root, 'scripts/make-secrets.mjs'), ...options], { encoding: 'utf8' });

describe('make-secrets', () => {
  it('prints how it is used to stderr, and no secret', () => {
    const { status, stdout, stderr } = run('--help');
    expect([status, stdout]).toEqual([0, '']);
    expect(stderr).toContain('--kubernetes');
  });

  it.each([
    ['an unknown option', ['--kubernets']],
    ['a value without a name', ['.env']],
    ['an option without its value', ['--kubernetes', '--postgres']],
    ['the address of a store that Compose has itself', ['--redis=redis.example:6379']],
  ])('refuses %s, and prints no secret', (_what, options) => {
    const { status, stdout, stderr } = run(...options);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Nothing was printed');
    expect(stderr).not.toMatch(/[A-Za-z0-9+/]{40}/);
  });

  it('puts the addresses of other stores into the Secrets', () => {
    const { stdout } = run('--kubernetes', '--postgres=pg.example:5433/own', '--redis=redis.example:6380', '--tls');
    expect(stdout).toContain('@pg.example:5433/own?sslmode=verify-full');
    expect(stdout).toMatch(/rediss:\/\/gatehouse_router:\w+@redis\.example:6380/);
  });
});
