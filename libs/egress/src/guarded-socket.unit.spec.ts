import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { createEgress } from './egress.js';

let server: Server;
let port: number;
let connections = 0;

beforeAll(async () => {
  server = createServer((socket) => {
    connections++;
    socket.end('220 ready\r\n');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  port = (server.address() as AddressInfo).port;
});
beforeEach(() => (connections = 0));
afterAll(() => new Promise((resolve) => server.close(resolve)));

describe('a socket', () => {
  it('connects to an allowed host', async () => {
    const socket = await createEgress({ allow: ['127.0.0.1'] }).connect('127.0.0.1', port);
    const [greeting] = await once(socket, 'data');
    expect(String(greeting)).toBe('220 ready\r\n');
    socket.destroy();
  });

  it.each(['127.0.0.1', '2130706433', 'localhost', '::ffff:127.0.0.1', '169.254.169.254'])(
    'is not opened to %s without an allow-list',
    async (host) => {
      await expect(createEgress().connect(host, port)).rejects.toMatchObject({ code: 'blocked_address', sent: false });
      expect(connections).toBe(0);
    },
  );

  it('is classified by what a name resolves to', async () => {
    const egress = createEgress({ resolve: async () => ['127.0.0.1'] });
    await expect(egress.connect('mail.example', port)).rejects.toMatchObject({ code: 'blocked_address' });
    expect(connections).toBe(0);
  });

  it.each(['a@127.0.0.1', '127.0.0.1/x', '127.0.0.1?x', '', 'a b'])('refuses "%s" as a host', async (host) => {
    const egress = createEgress({ allow: ['127.0.0.1'] });
    await expect(egress.connect(host, port)).rejects.toMatchObject({ code: 'invalid_url' });
    await expect(egress.connect('127.0.0.1', 0)).rejects.toMatchObject({ code: 'invalid_url' });
  });

  it('reports a closed port', async () => {
    const closed = createServer();
    await once(closed.listen(0, '127.0.0.1'), 'listening');
    const { port: free } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const egress = createEgress({ allow: ['127.0.0.1'] });
    await expect(egress.connect('127.0.0.1', free)).rejects.toMatchObject({ code: 'connect_failed', sent: false });
  });
});
