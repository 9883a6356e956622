import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ChatRequest {
  model: string;
  messages: { role: string; content: string | null; tool_calls?: unknown[]; tool_call_id?: string }[];
  tools?: { function: { name: string; parameters: unknown } }[];
}

/** One answer as the endpoint phrases it. */
export interface PlainAnswer {
  content: string | null;
  finish_reason: string;
  refusal?: string;
}

/** How the fake handles one request: answer a text, ask for calls, answer as given, or handle the response itself. */
export type Script =
  string | { name: string; arguments: string }[] | PlainAnswer | ((response: ServerResponse) => void);

export interface FakeModel {
  url: string;
  requests: ChatRequest[];
  /** Answers for the next requests, in order; after the last one, the text `done`. */
  script(...answers: Script[]): void;
  /** The answer to every request for which no script is left; null removes it. */
  always(answer: Script | null): void;
  /** The answer to a request for which no script is left, by what it asks, before that of `always`. */
  answering(of: (asked: ChatRequest) => Script): void;
  /** The answer to each request for a summary, which takes no script; null: such a request is like any other. */
  summary(answer: Script | null): void;
  /** Answers `context_length_exceeded` to requests with more characters of messages than this. */
  hasRoomFor(chars: number): void;
  close(): Promise<void>;
}

/** An OpenAI-compatible chat endpoint that answers what the test specifies. */
export async function fakeModel(): Promise<FakeModel> {
  const requests: ChatRequest[] = [];
  let answers: Script[] = [];
  let otherwise: Script | null = null;
  let byRequest: ((asked: ChatRequest) => Script) | null = null;
  let summary: Script | null = 'In short.';
  let room = Number.POSITIVE_INFINITY;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method === 'GET') {
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: [{ id: 'fake' }] }));
        return;
      }
      const asked = JSON.parse(Buffer.concat(chunks).toString()) as ChatRequest;
      requests.push(asked);
      if (JSON.stringify(asked.messages).length > room) return refuseLength(response);
      const isSummary = summary !== null && asked.messages[0]?.content?.includes('You keep the memory');
      const answer = (isSummary ? summary : answers.shift()) ?? byRequest?.(asked) ?? otherwise ?? 'done';
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
    always: (answer) => {
      otherwise = answer;
    },
    answering: (of) => {
      byRequest = of;
    },
    summary: (answer) => {
      summary = answer;
    },
    hasRoomFor: (chars) => {
      room = chars;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A stream of a chat completion that the test writes. */
export interface FakeStream {
  write(text: string): void;
  call(name: string, args: object): void;
  /** Ends it as a model does. */
  end(): void;
  /** Breaks the connection. */
  destroy(): void;
}

export function fakeStream(response: ServerResponse): FakeStream {
  const chunk = (delta: object, finish_reason: string | null = null): string =>
    `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  return {
    write: (content) => void response.write(chunk({ content })),
    call: (name, args) => {
      const call = { index: 0, id: 'call_0', type: 'function', function: { name, arguments: JSON.stringify(args) } };
      response.write(chunk({ tool_calls: [call] }));
    },
    end: () => {
      const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
      response.end(`${chunk({}, 'stop')}data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
    },
    destroy: () => response.destroy(),
  };
}

/** As OpenAI phrases it. */
function refuseLength(response: ServerResponse): void {
  const message = "This model's maximum context length is 8192 tokens. Please reduce the length of the messages.";
  const error = { message, type: 'invalid_request_error', param: 'messages', code: 'context_length_exceeded' };
  response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
}

function completion(answer: Exclude<Script, (response: ServerResponse) => void>): unknown {
  const calls = Array.isArray(answer) ? answer : [];
  const plain = typeof answer === 'object' && !Array.isArray(answer) ? answer : null;
  const message = {
    role: 'assistant',
    content: typeof answer === 'string' ? answer : (plain?.content ?? null),
    ...(plain?.refusal === undefined ? {} : { refusal: plain.refusal }),
    ...(calls.length > 0
      ? { tool_calls: calls.map((call, index) => ({ id: `call_${index}`, type: 'function', function: call })) }
      : {}),
  };
  return {
    id: 'chat_1',
    object: 'chat.completion',
    created: 1,
    model: 'fake',
    choices: [{ index: 0, message, finish_reason: plain?.finish_reason ?? (calls.length > 0 ? 'tool_calls' : 'stop') }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  };
}
