import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settingOf } from './index.js';

describe('a setting', () => {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-setting-'));
  const file = join(dir, 'key');
  afterAll(() => rmSync(dir, { recursive: true }));

  it('comes from the environment, or from the file that it names', () => {
    writeFileSync(file, 'from a file\n');
    expect(settingOf('KEY', { KEY: 'plain' })).toBe('plain');
    expect(settingOf('KEY', { KEY_FILE: file })).toBe('from a file');
    expect(settingOf('KEY', { KEY: '', KEY_FILE: file })).toBe('from a file');
    expect(settingOf('KEY', {})).toBeUndefined();
  });

  it('is refused, without its value, when both are set or the file is missing', () => {
    expect(() => settingOf('KEY', { KEY: 'secret', KEY_FILE: file })).toThrow(/^KEY and KEY_FILE are both set/);
    expect(() => settingOf('KEY', { KEY_FILE: join(dir, 'none') })).toThrow(/none, which cannot be read \(ENOENT\)/);
  });
});
