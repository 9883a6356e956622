import { patienceMs } from '#libs/testing';
import { Agent, request } from 'node:http';

/** A request as raw bytes: nothing is made valid on the way. */
export interface RawRequest {
  method: string;
  /** With its query, in ASCII; percent-encodings unchanged. */
  path: string;
  headers: Record<string, string>;
  body: Buffer | null;
}

export interface RawAnswer {
  status: number;
  text: string;
}

const connections = new Agent({ keepAlive: true, maxSockets: 8 });

/** @throws Error where the connection closes without an answer, or none comes in time */
export function exchange(origin: string, { method, path, headers, body }: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const length = body ? { 'content-length': String(body.length) } : {};
    const options = { hostname, port, method, path, headers: { ...headers, ...length }, agent: connections };
    const sent = request(options, (answer) => {
      const status = answer.statusCode ?? 0;
      if (/event-stream/.test(answer.headers['content-type'] ?? '')) {
        sent.destroy();
        return resolve({ status, text: '' });
      }
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.once('end', () => resolve({ status, text: Buffer.concat(chunks).toString('utf8') }));
      answer.once('error', reject);
    });
    sent.setTimeout(patienceMs, () => sent.destroy(new Error(`no answer in ${patienceMs} ms`)));
    sent.once('error', reject);
    sent.end(body ?? undefined);
  });
}

export function closeConnections(): void {
  connections.destroy();
}
