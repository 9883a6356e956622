import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A provider's server of files, and of the JSON that leads to them. */
export interface BinaryServer {
  url: string;
  /** Bytes or JSON for a path; undefined: there is nothing. */
  answer: (path: string) => Buffer | object | undefined;
  close(): Promise<void>;
}

export async function binaryServer(): Promise<BinaryServer> {
  const server = createServer((request, response) => {
    const answer = fake.answer(request.url ?? '/');
    if (Buffer.isBuffer(answer)) response.writeHead(200, { 'content-type': 'audio/ogg' }).end(answer);
    else
      response
        .writeHead(answer ? 200 : 404, { 'content-type': 'application/json' })
        .end(JSON.stringify(answer ?? { message: 'not found' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fake: BinaryServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: () => undefined,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}
