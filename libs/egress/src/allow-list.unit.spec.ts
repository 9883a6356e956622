import { allowList, bareHostname } from './allow-list.js';

describe('the allow-list', () => {
  it('names a host on one port, or on all', () => {
    const list = allowList(['adapters:8080', 'MCP.internal.', '[fd00::7]:9000']);
    expect(list.names('adapters', 8080)).toBe(true);
    expect(list.names('adapters', 8081)).toBe(false);
    expect(list.names('mcp.internal', 1)).toBe(true);
    expect(list.names('fd00::7', 9000)).toBe(true);
    expect(list.names('fd00::7', 9001)).toBe(false);
  });

  it('opens a block for every name, and also for an IPv6 address that carries it', () => {
    const list = allowList(['10.1.0.0/16', 'fd00:1::/32']);
    expect(list.permits('10.1.2.3', false)).toBe(true);
    expect(list.permits('::ffff:10.1.2.3', false)).toBe(true);
    expect(list.permits('fd00:1::5', false)).toBe(true);
    expect(list.permits('10.2.0.1', false)).toBe(false);
    expect(list.permits('fd00:2::5', false)).toBe(false);
  });

  it.each(['169.254.169.254', '::ffff:169.254.169.254', '100.100.100.200', 'fd00:ec2::254'])(
    'never opens the metadata address %s',
    (address) => {
      const list = allowList(['0.0.0.0/0', '::/0', address]);
      expect(list.permits(address, true)).toBe(false);
      expect(list.permits('10.0.0.1', false)).toBe(true);
    },
  );

  it.each(['http://adapters:8080', 'adapters:99999', 'a b', 'user@host', 'host/path', ':80', '10.0.0.0/99'])(
    'refuses the entry %j by name',
    (entry) => expect(() => allowList([entry])).toThrow(`"${entry}"`),
  );

  it('reads every spelling of a host as one name', () => {
    const names = ['http://LOCALHOST./', 'http://localhost/', 'http://[::1]/', 'http://①②⑦.0.0.1/'].map((url) =>
      bareHostname(new URL(url)),
    );
    expect(names).toEqual(['localhost', 'localhost', '::1', '127.0.0.1']);
  });
});
