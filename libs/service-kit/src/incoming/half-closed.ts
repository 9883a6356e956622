import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { currentAnswer } from './parser-refusals.js';

/**
 * Answers a client that has ended its side of the connection after its request, as `nc -N`, health checkers and some
 * senders do: TCP allows it, and Node would end the connection before a long answer. A client that has gone looks the
 * same until something is sent to it. So a live stream, which has no end that could be sent, ends with its client's side.
 */
export function answerHalfClosed(server: Server): void {
  // Node's switch for it, which is not among its documented properties.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connection', (socket: Socket) => {
    socket.once('end', () => {
      const answer = currentAnswer(socket);
      if (answer && isLive(answer)) answer.destroy();
    });
  });
}

function isLive(answer: ServerResponse): boolean {
  return answer.headersSent && String(answer.getHeader('content-type')).startsWith('text/event-stream');
}
