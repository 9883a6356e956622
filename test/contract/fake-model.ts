import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The model's default answer to every request. */
export type ModelAnswer =
  | { text: string | null; finish?: 'stop' | 'length' | 'content_filter'; refusal?: string }
  | { status: number; code?: string };

/** A chat endpoint as OpenAI documents it. */
export interface FakeModel {
  url: string;
  answer: ModelAnswer;
  /** Requests whose messages have more characters than this are rejected as too long. */
  room: number;
  close(): Promise<void>;
}

export async function openFakeModel(): Promise<FakeModel> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { messages } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { messages: unknown };
      const tooLong = JSON.stringify(messages).length > model.room;
      send(response, tooLong ? { status: 400, code: 'context_length_exceeded' } : model.answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const model: FakeModel = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    answer: { text: 'done' },
    room: Number.POSITIVE_INFINITY,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return model;
}

function send(response: ServerResponse, answer: ModelAnswer): void {
  if ('status' in answer) {
    const { status, code = 'server_error' } = answer;
    const error = { message: `the model says ${code}`, type: 'error', param: null, code };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
    return;
  }
  const { text, finish = 'stop', refusal } = answer;
  const message = { role: 'assistant', content: text, ...(refusal === undefined ? {} : { refusal }) };
  response.writeHead(200, { 'content-type': 'application/json' }).end(
    JSON.stringify({
      id: 'chat_1',
      object: 'chat.completion',
      created: 1,
      model: 'fake',
      choices: [{ index: 0, message, finish_reason: finish }],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    }),
  );
}
