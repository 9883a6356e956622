import { until } from '#libs/testing';
import type { ServerResponse } from 'node:http';
import { FakeMcpServer } from './fake-mcp-server.js';
import { type RegistryWorld, startRegistry } from './registry-world.js';

/** How a server answers one request, whatever that may be. */
export type Raw = (response: ServerResponse, id: number | string, params: Record<string, unknown>) => void;

/** What the engine gets of a call. */
export interface Outcome {
  ok: boolean;
  error?: string;
  /** Part of its words. */
  message?: string;
  content?: string;
  is_error?: boolean;
  truncated?: boolean;
  structured?: unknown;
  retryable?: boolean;
}
export type Case = [what: string, raw: Raw, outcome: Outcome];

export const failed = (code: string, words: string): Outcome => ({
  ok: false,
  error: code,
  message: words,
  retryable: true,
});
export const works = (text: string, more: Partial<Outcome> = {}): Outcome => ({
  ok: true,
  content: text,
  is_error: false,
  truncated: false,
  ...more,
});
export const noMessage = failed('protocol_error', 'it sent something that is no message of MCP');
export const noResult = (where: string): Outcome => failed('protocol_error', `not with a result of MCP: ${where}`);
export const ended = failed('protocol_error', 'ended without a result');
export const late = failed('timeout', 'MCP_CALL_TIMEOUT_MS');
export const text = (value: string) => ({ type: 'text', text: value });

const json = 'application/json';
/** As JSON; `ID` is the id of the request. */
export const sends =
  (body: string | Buffer, headers: Record<string, string> = {}, status = 200): Raw =>
  (response, id) => {
    const bytes = typeof body === 'string' ? body.replaceAll('ID', JSON.stringify(id)) : body;
    response.writeHead(status, { 'content-type': json, ...headers }).end(bytes);
  };
export const result = (value: unknown): Raw => sends(`{"jsonrpc":"2.0","id":ID,"result":${JSON.stringify(value)}}`);
export const content = (...blocks: unknown[]): Raw => result({ content: blocks });
export const error = (value: unknown): Raw => sends(`{"jsonrpc":"2.0","id":ID,"error":${JSON.stringify(value)}}`);
export const fine = '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"fine"}]}}';
export const stream =
  (...parts: string[]): Raw =>
  (response, id, params) => {
    const { progressToken } = (params['_meta'] ?? {}) as { progressToken?: unknown };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const part of parts) {
      response.write(part.replaceAll('ID', JSON.stringify(id)).replaceAll('TOKEN', JSON.stringify(progressToken)));
    }
    response.end();
  };
export const event = (data: string): string => `data: ${data}\n\n`;
export const says = (method: string, params: unknown): string =>
  event(JSON.stringify({ jsonrpc: '2.0', method, params }).replaceAll('"TOKEN"', 'TOKEN'));
export const asks = (method: string, params: unknown = {}): string =>
  event(JSON.stringify({ jsonrpc: '2.0', id: 'of-server', method, params }));

export function empty(status: number): Raw {
  return (response) => void response.writeHead(status).end();
}

export function breaks(type: string, body: string): Raw {
  return (response) => {
    response.writeHead(200, { 'content-type': type, ...(type === json ? { 'content-length': '500' } : {}) });
    response.write(body, () => response.destroy());
  };
}

export function drips(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': json });
  const timer = setInterval(() => response.write(' '), 100);
  response.once('close', () => clearInterval(timer));
}

const dump = /[{}[\]\n\u200b]|invalid_|Zod|Unexpected/;

export interface OddWorld {
  /**
   * Makes a call that is answered so, and another one, which has to work.
   * @returns what the engine gets; its message is the expected part, if it has that and is no validator's dump
   */
  outcomeOf(raw: Raw, expected: Outcome): Promise<Outcome>;
  /** Errors that nobody handled, when no more streams are open than MCP_CONNECTIONS. */
  leftBehind(): Promise<unknown[]>;
  close(): Promise<void>;
}

/** A registry, and a server whose one tool is answered in any way. */
export async function openOddWorld(): Promise<OddWorld> {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): number => unhandled.push(reason);
  process.on('unhandledRejection', note);
  const registry: RegistryWorld = await startRegistry({ MCP_CONNECTIONS: 10 });
  const server = await FakeMcpServer.start();
  const { body: registered } = await registry.call('POST', 'mcp-servers', { url: server.url, name: 'odd' });
  const [tool] = (await registry.call('GET', `tools?server_id=${registered.id}`)).body.data;
  let calls = 0;
  const call = async () => {
    const made = {
      tool_id: tool?.id,
      pin: tool?.pin,
      arguments: {},
      call_id: `trn_${(calls += 1)}.s1`,
      timeout_ms: 2_000,
    };
    const { status, body } = await registry.internal('POST', 'tool-calls', made);
    if (status !== 200) throw new Error(`The call was answered ${status}: ${JSON.stringify(body)}`);
    const answer: object = body;
    return answer as Outcome;
  };
  return {
    outcomeOf: async (raw, { message: words }) => {
      server.script.raw = { 'tools/call': raw };
      const answer = await call();
      server.script.raw = {};
      const next = await call();
      if (next.content !== 'first {}') throw new Error(`The next call failed: ${JSON.stringify(next)}`);
      const { message } = answer;
      const isPlain = message !== undefined && words !== undefined && message.includes(words) && !dump.test(message);
      return isPlain ? { ...answer, message: words } : answer;
    },
    leftBehind: async () => {
      await until('no more streams are open than MCP_CONNECTIONS', () => server.listeners <= 10);
      return unhandled;
    },
    close: async () => {
      process.off('unhandledRejection', note);
      await server.stop();
      await registry.close();
    },
  };
}
