import {
  type FetchLike,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/client';
import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { onBehalfOf } from './guarded-fetch.js';
import { McpError } from './mcp-error.js';
import { asSent } from './task-messages.js';

const sending = new AsyncLocalStorage<{ goesOn: boolean }>();

/**
 * Streamable HTTP on which a request fails as soon as its answer has ended without a result for it: another id, an empty
 * stream, a connection that broke. The client itself would wait for its time-out.
 */
export class AnsweredTransport extends StreamableHTTPClientTransport {
  constructor(
    url: URL,
    fetch: FetchLike,
    session: Pick<StreamableHTTPClientTransportOptions, 'sessionId' | 'protocolVersion'>,
  ) {
    super(url, {
      fetch: async (target, init) => {
        const response = await fetch(target, init);
        const sent = sending.getStore();
        // A stream says itself when it ends, and goes on elsewhere when its events have ids. Nor is a 202 the answer.
        if (sent) sent.goesOn = response.status === 202 || isStream(response);
        return response;
      },
      ...session,
    });
  }

  override async send(...[given, options]: Parameters<StreamableHTTPClientTransport['send']>): Promise<void> {
    const message = Array.isArray(given) ? given : asSent(given);
    const request = onBehalfOf.getStore();
    if (!request || Array.isArray(message) || !('method' in message && 'id' in message)) {
      return super.send(message, options);
    }
    const sent = { goesOn: false };
    const ended = (): void => void fail(request);
    await sending.run(sent, () => super.send(message, { ...options, onRequestStreamEnd: ended }));
    if (!sent.goesOn) ended();
  }
}

const isStream = (response: Response): boolean =>
  /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');

/** A request that was answered is over by then, and nothing follows. */
async function fail(request: AbortController): Promise<void> {
  await nextTurn();
  request.abort(new McpError('protocol_error', 'the answer of the server ended without a result of the request', true));
}
