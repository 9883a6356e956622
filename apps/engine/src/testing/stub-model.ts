import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ChatRequest {
  model: string;
  messages: { role: string; content: string | null; tool_calls?: unknown[]; tool_call_id?: string }[];
  tools?: { function: { name: string; parameters: unknown } }[];
}

/** What the stub does with one request: answer a text, ask for calls, or handle the response itself. */
export type Script = string | { name: string; arguments: string }[] | ((response: ServerResponse) => void);

export interface StubModel {
  url: string;
  requests: ChatRequest[];
  /** What the next requests get, in their order; after the last one the text `done`. */
  script(...answers: Script[]): void;
  close(): Promise<void>;
}

/** An OpenAI-compatible chat endpoint that says what the test wrote. */
export async function stubModel(): Promise<StubModel> {
  const requests: ChatRequest[] = [];
  let answers: Script[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests.push(JSON.parse(Buffer.concat(chunks).toString()) as ChatRequest);
      const answer = answers.shift() ?? 'done';
      if (typeof answer === 'function') answer(response);
      else response.setHeader('content-type', 'application/json').end(JSON.stringify(completion(answer)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    script: (...next) => {
      answers = next;
      requests.length = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function completion(answer: string | { name: string; arguments: string }[]): unknown {
  const calls = typeof answer === 'string' ? [] : answer;
  const message = {
    role: 'assistant',
    content: typeof answer === 'string' ? answer : null,
    ...(calls.length > 0
      ? { tool_calls: calls.map((call, index) => ({ id: `call_${index}`, type: 'function', function: call })) }
      : {}),
  };
  return {
    id: 'chat_1',
    object: 'chat.completion',
    created: 1,
    model: 'stub',
    choices: [{ index: 0, message, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  };
}
