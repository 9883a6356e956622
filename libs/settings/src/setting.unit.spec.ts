import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settingOf } from './index.js';

describe('a setting', () => {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-setting-'));
  const file = join(dir, 'key');
  afterAll(() => rmSync(dir, { recursive: true }));

  it('is what the environment says, or what stands in the file that it names', () => {
    writeFileSync(file, 'from a file\n');
    expect(settingOf('KEY', { KEY: 'plain' })).toBe('plain');
    expect(settingOf('KEY', { KEY_FILE: file })).toBe('from a file');
    expect(settingOf('KEY', { KEY: '', KEY_FILE: file })).toBe('from a file');
    expect(settingOf('KEY', {})).toBeUndefined();
  });

  it('is refused when both say it, or the file is not there, without its value', () => {
    expect(() => settingOf('KEY', { KEY: 'secret', KEY_FILE: file })).toThrow(/^KEY and KEY_FILE are both set/);
    expect(() => settingOf('KEY', { KEY_FILE: join(dir, 'none') })).toThrow(/none, which cannot be read \(ENOENT\)/);
  });
});
