import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { browserHeaders } from '../browser-headers.js';
import { Problem, problemBody } from '../problem.js';
import { answerOn, noteAnswer, unsupportedVersion } from './parser-refusals.js';
import { RequestTurns } from './request-turns.js';
import { awaitContinue, leavesUnread, untilBodyEnds } from './unread-body.js';

/** The characters of a host and port (RFC 3986, 3.2.2). */
const hostText = /^[\w.~%!$&'()*+;=:[\]-]*$/;

/** A request line may have the whole address, as clients of proxies send it (RFC 9112, 3.2.2). */
const wholeAddress = /^https?:\/\/([^/?#]*)([^#]*)/i;

/**
 * Checks what Node leaves to its users, before any listener that the server has by now: versions, whole addresses, the
 * Host header, expectations, transfer codings, tunnels, and the turns of the requests of one connection. A client that
 * expects `100 Continue` gets it when its body is read, not before.
 */
export function guardRequests(server: Server): void {
  const turns = new RequestTurns();
  const others = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    noteAnswer(request, response);
    turns.take(request, response, () => {
      const problem = versionProblem(request) ?? hostProblem(request) ?? codingProblem(request);
      if (problem) refuse(request, response, problem);
      else for (const listener of others) listener.call(server, request, response);
    });
  });
  server.on('checkContinue', (request, response) => {
    awaitContinue(request, response);
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (request, response) => {
    const detail = 'The only expectation that is understood is Expect: 100-continue.';
    noteAnswer(request, response);
    turns.take(request, response, () => refuse(request, response, new Problem(417, 'unknown_expectation', detail)));
  });
  // Node closes the connection without a word where nobody listens.
  server.on('connect', (_request, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    const detail = 'This is no proxy, so CONNECT opens nothing: send the request itself.';
    answerOn(
      socket,
      new Problem(405, 'method_not_allowed', detail, [], { allow: 'GET, HEAD, POST, PUT, PATCH, DELETE' }),
    );
  });
}

/** The parser reads a head that calls itself HTTP/0.9 or 2.0 as if it were ours. */
function versionProblem({ httpVersion, httpVersionMajor }: IncomingMessage): Problem | null {
  if (httpVersionMajor === 1) return null;
  return unsupportedVersion(httpVersion);
}

/**
 * Two hosts are two readings of one request, of which a proxy before this service took one (RFC 9112, 3.2). The host of
 * a whole address replaces the one of the header.
 */
function hostProblem(request: IncomingMessage): Problem | null {
  const { rawHeaders, httpVersion, headers } = request;
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) return invalidHost(`The request has ${hosts} Host headers: send one.`);
  if (hosts === 0 && httpVersion === '1.1') return invalidHost('The request has no Host header: send one.');
  const [whole, host = '', path = ''] = wholeAddress.exec(request.url ?? '') ?? [];
  if (whole !== undefined) {
    if (host === '' || !hostText.test(host)) return invalidHost('The address has no host, or more than host and port.');
    headers.host = host;
    request.url = path.startsWith('/') ? path : `/${path}`;
  }
  return hostText.test(headers.host ?? '') ? null : invalidHost('The Host header is not a host and port.');
}

/** Node removes the chunks and nothing else: the body would be taken for what it is the compressed form of (RFC 9112, 6.1). */
function codingProblem({ headers }: IncomingMessage): Problem | null {
  const coding = headers['transfer-encoding']?.trim().toLowerCase() ?? 'chunked';
  const detail = 'The only transfer coding that is read is chunked. Name a compression as Content-Encoding.';
  return coding === 'chunked' ? null : new Problem(501, 'unknown_transfer_coding', detail);
}

function invalidHost(detail: string): Problem {
  return new Problem(400, 'invalid_host', detail);
}

function refuse(request: IncomingMessage, response: ServerResponse, problem: Problem): void {
  const text = JSON.stringify(problemBody(problem));
  response.writeHead(problem.status, {
    ...browserHeaders,
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  });
  if (leavesUnread(request)) untilBodyEnds(request, text).pipe(response);
  else response.end(text);
}
