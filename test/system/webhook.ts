import { createHmac } from 'node:crypto';
import { request } from 'node:http';

/** A webhook's answer. */
export interface WebhookAnswer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
  /** The event's id, '' without one. */
  id: string;
}

/** Posts a body; an object is sent as JSON. */
export async function post(
  url: string,
  body: object | string | Buffer,
  headers: Record<string, string> = {},
): Promise<WebhookAnswer> {
  const raw = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: raw as string | Buffer<ArrayBuffer>,
  });
  return read(answer);
}

/** Reads an answer whose body, if any, is a JSON object. */
export async function read(answer: Response): Promise<WebhookAnswer> {
  const text = await answer.text();
  const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  const { id } = body;
  return { status: answer.status, headers: answer.headers, body, id: typeof id === 'string' ? id : '' };
}

/** The value of `X-Signature-256`. */
export function hmac(secret: string, body: string | Buffer): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/** Sends a request without a declared body length and never ends it. @returns the answer that comes nevertheless */
export function postWithoutEnd(url: string, body: Buffer): Promise<{ status: number; connection: string | undefined }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: { 'content-type': 'application/json' } });
    let answered = false;
    sent.once('response', (answer) => {
      answered = true;
      answer.resume();
      resolve({ status: answer.statusCode ?? 0, connection: answer.headers.connection });
      sent.destroy();
    });
    // The server closes the connection on purpose before it has read everything.
    sent.on('error', (error) => answered || reject(error));
    sent.write(body);
  });
}
