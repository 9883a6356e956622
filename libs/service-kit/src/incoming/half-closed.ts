import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { currentAnswer } from './parser-refusals.js';

/**
 * Answers a client that has ended its side of the connection after its request, as `nc -N`, health checkers and some
 * senders do: TCP allows it, and Node would end the connection before a long answer. A client that has gone looks the
 * same until something is sent to it. So a live stream, which has no end that could be sent, ends with its client's
 * side, and an answer of which nothing is sent for `patienceMs` is nobody's: what is done for it is asked to stop.
 */
export function answerHalfClosed(server: Server, patienceMs: number): void {
  // Node's switch for it, which is not among its documented properties.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connection', (socket: Socket) => {
    socket.once('end', () => {
      const answer = currentAnswer(socket);
      if (answer && isLive(answer)) answer.destroy();
      let sent = socket.bytesWritten;
      const check = setInterval(() => {
        const late = currentAnswer(socket);
        if (late && !late.writableEnded && socket.bytesWritten === sent) late.destroy();
        sent = socket.bytesWritten;
      }, patienceMs);
      check.unref();
      socket.once('close', () => clearInterval(check));
    });
  });
}

function isLive(answer: ServerResponse): boolean {
  return answer.headersSent && String(answer.getHeader('content-type')).startsWith('text/event-stream');
}
