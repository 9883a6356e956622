import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readServerFile } from './server-file.js';

const home = mkdtempSync(join(tmpdir(), 'gatehouse-servers-'));
const path = join(home, 'servers.json');
afterAll(() => rmSync(home, { recursive: true, force: true }));

function read(file: unknown) {
  writeFileSync(path, typeof file === 'string' ? file : JSON.stringify(file));
  return readServerFile(path);
}

describe('the server file', () => {
  it('gives command, arguments and environment by name', () => {
    const notes = { command: 'node', args: ['notes.js'], env: { TOKEN: 'secret' }, cwd: '/srv' };
    expect([...read({ mcpServers: { notes, bare: { command: 'x' } } })]).toEqual([
      ['notes', notes],
      ['bare', { command: 'x', args: [], env: {} }],
    ]);
  });

  it.each([
    ['text that is no JSON', '{"secret"', /not valid JSON$/],
    ['no servers', { mcpServers: {} }, /names no server/],
    ['another field', { mcpServers: { a: { command: 'x' } }, inputs: [] }, /the field inputs is not known/],
    ['a name that is no part of a URL', { mcpServers: { 'a/b': { command: 'x' } } }, /"a\/b" is not a valid name/],
    ['a server without a command', { mcpServers: { a: { url: 'https://a' } } }, /a: the field url is not known/],
    ['an empty command', { mcpServers: { a: { command: '' } } }, /a\.command is not set/],
    ['arguments in one text', { mcpServers: { a: { command: 'x', args: '-y' } } }, /a\.args must be a list/],
    ['a variable that is no text', { mcpServers: { a: { command: 'x', env: { A: 1 } } } }, /a\.env: each value/],
  ])('refuses %s, and says where', (_what, file, message) => expect(() => read(file)).toThrow(message));

  it('quotes no value when it refuses', () => {
    const env = { TOKEN: 'secret', COUNT: 1 };
    expect(() => read({ mcpServers: { a: { command: 'x', env } } })).not.toThrow(/secret/);
    expect(() => read('{"mcpServers": "secret')).not.toThrow(/secret/);
  });
});
