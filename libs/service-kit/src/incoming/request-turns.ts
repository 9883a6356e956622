import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Begins each request of a connection once the answers before it have been sent. Node hands over all that a client
 * wrote at once (RFC 9112, 9.3.2: pipelining), so one that reads nothing would have all of its answers made, and a
 * place or connection behind this service taken for each. While requests wait, no more of their connection is read, so
 * what they hold is what had come in one piece. A request that has no other before it costs nothing.
 */
export class RequestTurns {
  /** Requests that wait, by their connections. */
  private readonly waiting = new WeakMap<Socket, number>();

  take(request: IncomingMessage, response: ServerResponse, begin: () => void): void {
    // Node gives an answer the connection when the answers before it have been sent.
    if (response.socket !== null) return begin();
    const { socket } = request;
    if (!this.waiting.has(socket)) socket.on('resume', () => this.hold(socket));
    this.waiting.set(socket, (this.waiting.get(socket) ?? 0) + 1);
    socket.pause();
    response.once('socket', () => {
      this.waiting.set(socket, (this.waiting.get(socket) ?? 1) - 1);
      // Node is still about to send what the answer may have by now.
      process.nextTick(() => {
        if (!this.waiting.get(socket)) socket.resume();
        // An answer of the connection itself, or its end, came first.
        if (socket.writable) begin();
      });
    });
  }

  /** Node reads on when the body of a request has been read, even one that had been read whole. */
  private hold(socket: Socket): void {
    if (this.waiting.get(socket)) socket.pause();
  }
}
