import { until } from '#libs/testing';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { goneWith } from './gone-with.js';

describe('the signal of a client', () => {
  it('aborts when it leaves, and at once where it had left before it was asked for', async () => {
    const asked = Promise.withResolvers<ServerResponse>();
    const server = createServer((_request, response) => asked.resolve(response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const leaving = new AbortController();
    const { port } = server.address() as AddressInfo;
    const request = fetch(`http://127.0.0.1:${port}/`, { signal: leaving.signal }).catch(() => null);
    const response = await asked.promise;
    const early = goneWith(response);
    expect(early.signal.aborted).toBe(false);
    leaving.abort();
    await until('it has left', () => early.signal.aborted);
    expect(goneWith(response).signal.aborted).toBe(true);
    await request;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});
