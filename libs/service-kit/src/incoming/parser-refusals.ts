import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { browserHeaders } from '../browser-headers.js';
import { Problem, problemBody } from '../problem.js';

/** How long the rest of a request that cannot be read is dropped before its connection is closed. */
const lingerMs = 2_000;

const reasons: Record<number, string> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  413: 'Content Too Large',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  503: 'Service Unavailable',
  505: 'HTTP Version Not Supported',
};

const answering = new WeakMap<Socket, ServerResponse>();
const refused = new WeakSet<Socket>();

/** Notes which answer a connection gets at the moment. */
export function noteAnswer({ socket }: IncomingMessage, response: ServerResponse): void {
  answering.set(socket, response);
}

/** The last answer that a connection gets, or got. */
export function currentAnswer(socket: Socket): ServerResponse | undefined {
  return answering.get(socket);
}

/**
 * Answers what Node's parser cannot read, and requests that come too late, with problem+json. It is called again for
 * each further piece.
 */
export function refuseUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  if (refused.has(socket)) return;
  refused.add(socket);
  const current = answering.get(socket);
  // It waits for the answers before it, and has not come whole: it is answered when they have been sent.
  if (current?.socket === null && !current.writableFinished && !current.req.complete) {
    return void current.once('socket', () => answerOn(socket, problemOf(error)));
  }
  if (current === undefined || current.writableFinished || !(current.headersSent || current.req.complete)) {
    return answerOn(socket, problemOf(error));
  }
  // The one before it is being answered.
  if (current.headersSent && !current.writableEnded) return void socket.destroy();
  current.once('finish', () => answerOn(socket, problemOf(error)));
}

function problemOf({ code, message }: Error & { code?: string }): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new Problem(431, 'headers_too_large', 'Address and headers are over 16 KiB: send fewer or shorter ones.');
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new Problem(408, 'request_timeout', 'The request did not arrive in time: send it again, faster.');
  }
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') {
    return new Problem(413, 'chunk_extensions_too_large', 'The extensions of a chunk are too long: send none.');
  }
  if (code === 'HPE_PAUSED_H2_UPGRADE') return unsupportedVersion('2.0');
  if (code === 'HPE_INVALID_VERSION') return unsupportedVersion();
  const why = message.replace(/^Parse Error:? ?/, '');
  return new Problem(400, 'invalid_http', `This is not HTTP/1.1${why ? `: ${why}` : ''}.`);
}

/** @param version as the request names it, where that was read */
export function unsupportedVersion(version?: string): Problem {
  const what = version === undefined ? 'This version of HTTP' : `HTTP/${version}`;
  return new Problem(505, 'unsupported_version', `${what} is not spoken here: send HTTP/1.1.`);
}

/** Answers on the connection itself, where there is no request to answer, and closes it. */
export function answerOn(socket: Socket, problem: Problem): void {
  if (!socket.writable) return void socket.destroy();
  const body = JSON.stringify(problemBody(problem));
  const headers = {
    ...browserHeaders,
    ...problem.headers,
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${problem.status} ${reasons[problem.status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
  socket.once('end', () => socket.destroy());
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
