import { until } from '#libs/testing';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EventStream } from './event-stream.js';

describe('a stream of events', () => {
  it('ends, and says so once, where its client has left before it began', async () => {
    const asked = Promise.withResolvers<ServerResponse>();
    const server = createServer((_request, response) => asked.resolve(response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const leaving = new AbortController();
    const { port } = server.address() as AddressInfo;
    const request = fetch(`http://127.0.0.1:${port}/`, { signal: leaving.signal }).catch(() => null);
    const response = await asked.promise;
    leaving.abort();
    await until('the connection is closed', () => response.closed);
    let closed = 0;
    const stream = new EventStream(response, { heartbeatMs: 60_000, maxMs: 60_000 }, () => (closed += 1));
    stream.write('data: 1\n\n');
    await until('it has ended', () => closed > 0);
    stream.end();
    expect(closed).toBe(1);
    await request;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});
