import { TEST_CERTIFICATE, TEST_KEY } from '#libs/testing';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { createEgress } from './egress.js';
import { secureSocket } from './secure-socket.js';

const egress = createEgress({ allow: ['127.0.0.1'] });
let server: Server;
beforeAll(async () => {
  server = createServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, (socket) => socket.end('secret'));
  server.on('tlsClientError', () => undefined);
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(async () => {
  await egress.close();
  await new Promise((resolve) => server.close(resolve));
});

const opened = async (target: { host: string; ca: string | undefined }) => {
  const plain = await egress.connect('127.0.0.1', (server.address() as AddressInfo).port);
  return secureSocket(plain, { ...target, servername: undefined }, () => undefined);
};

describe('TLS on a guarded socket', () => {
  it('reads from a server whose certificate is of the host', async () => {
    const [bytes] = (await once(await opened({ host: '127.0.0.1', ca: TEST_CERTIFICATE }), 'data')) as [Buffer];
    expect(bytes.toString()).toBe('secret');
  });

  it.each([
    ['of nobody who is trusted', { host: '127.0.0.1', ca: undefined }],
    ['of another host', { host: '127.0.0.2', ca: TEST_CERTIFICATE }],
  ])('fails with a certificate %s', async (_what, target) => {
    const socket = await opened(target);
    const [error] = (await once(socket, 'close').then(
      () => [undefined],
      (failure: unknown) => [failure],
    )) as [NodeJS.ErrnoException | undefined];
    expect(error?.code).toMatch(/SELF_SIGNED|ALTNAME/);
  });
});
