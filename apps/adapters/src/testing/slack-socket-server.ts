import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { JsonObject } from '#libs/adapter-sdk';

interface Envelope {
  envelope_id: string;
  type: string;
  payload: JsonObject;
}

/**
 * Slack's side of Socket Mode: what is not acknowledged is sent again, over whatever socket is open.
 * Source: https://docs.slack.dev/apis/events-api/using-socket-mode
 */
export class SlackSocketServer {
  readonly acknowledged: string[] = [];
  /** Of `apps.connections.open`. */
  readonly tokens: string[] = [];
  /** What that method answers instead; null: an address. */
  refusal: string | null = null;
  private written = 0;
  private readonly open: Envelope[] = [];
  private readonly sockets: WebSocket[] = [];
  private readonly server: Server;
  private readonly resending: NodeJS.Timeout;

  private constructor(resendMs: number) {
    this.server = createServer((request, response) => {
      response.setHeader('content-type', 'application/json');
      if (!request.url?.endsWith('/apps.connections.open'))
        return response.end('{"ok":true,"user_id":"UBOT","team_id":"T1"}');
      this.tokens.push(String(request.headers.authorization).replace('Bearer ', ''));
      const url = `${this.url.replace('http', 'ws')}/link?ticket=1`;
      response.end(JSON.stringify(this.refusal === null ? { ok: true, url } : { ok: false, error: this.refusal }));
    });
    new WebSocketServer({ server: this.server }).on('connection', (socket) => this.greet(socket));
    this.resending = setInterval(() => this.resend(), resendMs);
  }

  static async start(resendMs = 3_000): Promise<SlackSocketServer> {
    const slack = new SlackSocketServer(resendMs);
    await new Promise<void>((resolve) => slack.server.listen(0, '127.0.0.1', resolve));
    return slack;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get connections(): number {
    return this.sockets.length;
  }

  emit(envelope: Envelope): void {
    this.open.push(envelope);
    this.sockets.at(-1)?.send(JSON.stringify(envelope));
  }

  /** A person writes to the app. */
  write(text: string): void {
    this.written += 1;
    const n = this.written;
    const event = {
      type: 'message',
      channel: 'D1',
      channel_type: 'im',
      user: 'U7',
      ts: `1700000000.${100_000 + n}`,
      text,
    };
    const payload = { type: 'event_callback', event_id: `Ev${n}`, team_id: 'T1', event };
    this.emit({ envelope_id: `env-${n}`, type: 'events_api', payload });
  }

  /** Slack's word that it is going to close a socket; it closes the oldest when another is open. */
  announceClose(reason: string): void {
    this.sockets[0]?.send(JSON.stringify({ type: 'disconnect', reason }));
  }

  cut(): void {
    for (const socket of this.sockets) socket.terminate();
  }

  async close(): Promise<void> {
    clearInterval(this.resending);
    this.cut();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private greet(socket: WebSocket): void {
    this.sockets.push(socket);
    socket.on('close', () => this.sockets.splice(this.sockets.indexOf(socket), 1));
    socket.on('message', (data: Buffer) => {
      const { envelope_id: id } = JSON.parse(data.toString()) as Envelope;
      const at = this.open.findIndex(({ envelope_id }) => envelope_id === id);
      if (at < 0) return;
      this.open.splice(at, 1);
      this.acknowledged.push(id);
    });
    socket.send(JSON.stringify({ type: 'hello', num_connections: this.sockets.length }));
    this.resend();
  }

  private resend(): void {
    for (const envelope of this.open) this.sockets.at(-1)?.send(JSON.stringify(envelope));
  }
}
