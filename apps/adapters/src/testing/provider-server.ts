import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { isJsonObject, parseJson, type JsonObject } from '#libs/adapter-sdk';

export interface SeenRequest {
  method: string;
  /** Path and query. */
  url: string;
  headers: IncomingHttpHeaders;
  text: string;
  /** The JSON or the form of the body; empty when it is neither. */
  fields: JsonObject;
}

export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  /** Sent as JSON; text as it is. */
  body?: unknown;
}

export interface ProviderServer {
  url: string;
  seen: SeenRequest[];
  /** What it answers from now on; `silence`: nothing. */
  answer: (request: SeenRequest) => Reply | 'silence' | Promise<Reply | 'silence'>;
  close(): Promise<void>;
}

/** An HTTP server on 127.0.0.1 that records its requests and answers as `answer` says. */
export async function startProviderServer(answer: ProviderServer['answer'] = () => ({})): Promise<ProviderServer> {
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const respond = async (): Promise<void> => {
      const text = await readText(request);
      const json = parseJson(text);
      const fields = isJsonObject(json) ? json : Object.fromEntries(new URLSearchParams(text));
      const entry = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, text, fields };
      seen.push(entry);
      const reply = await provider.answer(entry);
      if (reply !== 'silence') send(response, reply);
    };
    respond().catch((error: unknown) => send(response, { status: 599, body: String(error) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const provider: ProviderServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    answer,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
}

function send(response: ServerResponse, { status = 200, headers, body = {} }: Reply): void {
  const isText = typeof body === 'string';
  response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers });
  response.end(isText ? body : JSON.stringify(body));
}
