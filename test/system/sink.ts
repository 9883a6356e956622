import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request that reached the sink. */
export interface Arrival {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The body as JSON. */
  json: Record<string, unknown>;
}

export interface SinkAnswer {
  status: number;
  headers?: Record<string, string>;
}

/** A server that receives replies. */
export interface Sink {
  url: string;
  /** Every request, in order, including repetitions. */
  arrivals: Arrival[];
  /** The answer from now on; 200 at first. */
  answer: (arrival: Arrival) => SinkAnswer;
  /** The replies to one event through the built-in App. */
  repliesTo(eventId: string): Arrival[];
  close(): Promise<void>;
}

export async function openSink(): Promise<Sink> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const json = JSON.parse(body) as Record<string, unknown>;
      const arrival = { path: request.url ?? '', headers: request.headers, body, json };
      sink.arrivals.push(arrival);
      const { status, headers } = sink.answer(arrival);
      response.writeHead(status, headers).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sink: Sink = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals: [],
    answer: () => ({ status: 200 }),
    repliesTo: (eventId) => sink.arrivals.filter((arrival) => arrival.json['in_reply_to'] === eventId),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return sink;
}
