import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addKek, ensureSecrets, kekRing } from '../../scripts/launcher/secrets.mjs';

describe('the key ring of npm start', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-keys-'));
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  it('gets a new primary key, and keeps all earlier ones', () => {
    const first = ensureSecrets(dataDir);
    const [second, third] = [addKek(dataDir), addKek(dataDir)];
    const secrets = ensureSecrets(dataDir);
    const ring = JSON.parse(kekRing(secrets)) as { primary: string; keys: Record<string, string>; local: boolean };
    expect(ring).toMatchObject({ primary: third, local: true });
    expect(Object.keys(ring.keys)).toEqual([third, second, first.kek.kid]);
    expect(ring.keys[first.kek.kid]).toBe(first.kek.key);
    expect(secrets.service_key).toEqual(first.service_key);
    expect(statSync(join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600);
  });
});
