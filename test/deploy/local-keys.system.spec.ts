import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
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

  it('stays when the key of the services is deleted to have another one', () => {
    const { service_key: before, ...others } = ensureSecrets(dataDir);
    writeFileSync(join(dataDir, 'secrets.json'), JSON.stringify(others));
    const after = ensureSecrets(dataDir);
    expect(after).toMatchObject(others);
    expect(after.service_key.kid).not.toBe(before.kid);
    expect(JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8'))).toEqual(after);
  });
});
