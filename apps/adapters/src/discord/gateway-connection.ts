import { isJsonObject, type JsonObject, parseJson } from '#libs/adapter-sdk';
import type { WebSocket } from '#libs/egress';
import { objectOf, textOf } from '../provider-calls/json-fields.js';

/** Source: https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway */
export const OP = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  resume: 6,
  reconnect: 7,
  invalidSession: 9,
  hello: 10,
  heartbeatAck: 11,
} as const;

interface Handler {
  /** Begins a session, or continues one. */
  greet(): JsonObject;
  /** The number of an event that Discord may forget, and all before it. */
  position(): number | null;
  dispatch(name: string, seq: number, data: JsonObject, socket: WebSocket): void;
  /** Discord does not have the session. */
  sessionEnded(): void;
}

/** Of a Gateway socket: the greeting, the heartbeats and their answers. It ends a socket that no longer answers. */
export class GatewayConnection {
  private beating: NodeJS.Timeout | undefined;
  private isAnswered = true;

  constructor(private readonly handler: Handler) {}

  receive(text: string, socket: WebSocket): void {
    const payload = parseJson(text);
    if (!isJsonObject(payload)) return;
    switch (payload.op) {
      case OP.hello: {
        const intervalMs = Number(objectOf(payload.d).heartbeat_interval) || 40_000;
        send(socket, this.handler.greet());
        // The first one at any time within the interval, so that not all bots of a failed server beat at once.
        return this.beatIn(intervalMs * Math.random(), intervalMs, socket);
      }
      case OP.heartbeat:
        return this.beat(socket);
      case OP.heartbeatAck:
        this.isAnswered = true;
        return;
      case OP.invalidSession:
        if (payload.d !== true) this.handler.sessionEnded();
        return socket.terminate();
      case OP.reconnect:
        // A close with 1000 or 1001 would end the session.
        return socket.terminate();
      case OP.dispatch:
        return this.handler.dispatch(textOf(payload.t) ?? '', Number(payload.s) || 0, objectOf(payload.d), socket);
    }
  }

  end(): void {
    clearTimeout(this.beating);
  }

  private beatIn(ms: number, intervalMs: number, socket: WebSocket): void {
    this.beating = setTimeout(() => {
      if (!this.isAnswered) return socket.terminate();
      this.isAnswered = false;
      this.beat(socket);
      this.beatIn(intervalMs, intervalMs, socket);
    }, ms).unref();
  }

  private beat(socket: WebSocket): void {
    send(socket, { op: OP.heartbeat, d: this.handler.position() });
  }
}

function send(socket: WebSocket, payload: JsonObject): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(payload));
}
