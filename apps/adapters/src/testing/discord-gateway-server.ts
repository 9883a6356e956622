import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { JsonObject } from '#libs/adapter-sdk';

interface Session {
  id: string;
  seq: number;
  sent: { s: number; t: string; d: JsonObject }[];
  socket: WebSocket | null;
  /** Which part of the bot's servers it has, of how many. */
  shard: [number, number];
}

/** Bits that Discord knows, of those that need a switch the last one. */
const KNOWN_INTENTS = 0b11_0000_0001_1111_1111_1111_1111;
const MESSAGE_CONTENT = 1 << 15;
const BOT = '80351110224678912';

/**
 * Discord's Gateway for one bot: sessions that are kept while nobody is connected, and repeat what came after a number.
 * Source: https://docs.discord.com/developers/events/gateway
 */
export class DiscordGatewayServer {
  readonly token = `${Buffer.from(BOT).toString('base64')}.GaTeWa.secret`;
  readonly botId = BOT;
  /** What clients sent, in order. */
  readonly received: { op: number; d: unknown }[] = [];
  /** Paths of the API that were called. */
  readonly called: string[] = [];
  /** Sessions that may still be begun today. */
  remaining = 1_000;
  /** The app has the switch Message Content Intent. */
  readsMessages = true;
  /** Heartbeats are answered. */
  isAlive = true;
  heartbeatMs = 45_000;
  /** Connections that the bot's servers need. */
  shards = 1;
  /** Sessions that may be begun within `beginEveryMs`. */
  maxConcurrency = 1;
  beginEveryMs = 0;
  /** Connections with these numbers are not begun: they get the close code, or no answer for null. */
  readonly refusing = new Map<number, number | null>();
  /** Sessions that were not begun, because others had just been. */
  tooSoon = 0;
  private begins: number[] = [];
  private readonly sessions = new Map<string, Session>();
  private readonly sockets = new Set<WebSocket>();
  private begun = 0;
  private written = 0;
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => this.answer(request, response));
    new WebSocketServer({ server: this.server }).on('connection', (socket) => this.greet(socket));
  }

  static async start(): Promise<DiscordGatewayServer> {
    const discord = new DiscordGatewayServer();
    await new Promise<void>((resolve) => discord.server.listen(0, '127.0.0.1', resolve));
    return discord;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** With a session. */
  get connections(): number {
    return [...this.sessions.values()].filter(({ socket }) => socket !== null).length;
  }

  get started(): number {
    return this.begun;
  }

  emit(t: string, d: JsonObject): void {
    const guild = typeof d.guild_id === 'string' ? BigInt(d.guild_id) >> 22n : 0n;
    for (const session of this.sessions.values()) {
      const [index, count] = session.shard;
      if (Number(guild % BigInt(count)) === index) this.dispatch(session, t, d);
    }
  }

  /** A person writes to the bot. */
  write(content: string, more: JsonObject = {}): string {
    this.written += 1;
    const id = String(1_190_000_000_000_000_000n + BigInt(this.written));
    this.emit('MESSAGE_CREATE', {
      id,
      type: 0,
      channel_id: '645027906669510667',
      author: { id: '53908232506183680', username: 'mason', global_name: 'Mason' },
      content,
      timestamp: '2026-01-05T10:00:00.000000+00:00',
      edited_timestamp: null,
      mentions: [],
      attachments: [],
      embeds: [],
      ...more,
    });
    return id;
  }

  /** Says to every client that it should come again. */
  askToReconnect(): void {
    for (const socket of this.sockets) socket.send('{"op":7,"d":null,"s":null,"t":null}');
  }

  /** Forgets all sessions, or that of a connection: who comes again has missed something. */
  forget(index?: number): void {
    for (const [id, { shard }] of this.sessions) {
      if (index === undefined || shard[0] === index) this.sessions.delete(id);
    }
  }

  /** Ends the connections, or that with a number, with a close code or as a lost network does. */
  cut(code?: number, index?: number): void {
    for (const socket of this.sockets) {
      const mine = [...this.sessions.values()].find((session) => session.socket === socket);
      if (index !== undefined && mine?.shard[0] !== index) continue;
      if (code === undefined) socket.terminate();
      else socket.close(code);
    }
  }

  async close(): Promise<void> {
    this.cut();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const url = request.url ?? '';
    this.called.push(`${request.method} ${url}`);
    const say = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (url.endsWith('/callback')) return say(200, {});
    if (request.headers.authorization !== `Bot ${this.token}`) {
      return say(401, { message: '401: Unauthorized', code: 0 });
    }
    if (url.endsWith('/applications/@me')) {
      const flags = this.readsMessages ? 1 << 19 : 0;
      return say(200, { id: BOT, name: 'desk', flags, bot: { id: BOT, username: 'desk' } });
    }
    if (!url.endsWith('/gateway/bot')) return say(200, { id: '1190000000000000999' });
    const limit = {
      total: 1_000,
      remaining: this.remaining,
      reset_after: 14_400_000,
      max_concurrency: this.maxConcurrency,
    };
    say(200, { url: this.url.replace('http', 'ws'), shards: this.shards, session_start_limit: limit });
  }

  private greet(socket: WebSocket): void {
    this.sockets.add(socket);
    let mine: Session | null = null;
    socket.on('close', () => {
      this.sockets.delete(socket);
      if (mine?.socket === socket) mine.socket = null;
    });
    socket.on('message', (data: Buffer) => {
      const { op, d } = JSON.parse(data.toString()) as { op: number; d: unknown };
      this.received.push({ op, d });
      const fields = d as JsonObject;
      if (op === 1) return this.isAlive && socket.send('{"op":11,"d":null,"s":null,"t":null}');
      if (op !== 2 && op !== 6) return socket.close(mine ? 4_001 : 4_003);
      if (mine) return socket.close(4_005);
      if (String(fields.token).replace(/^Bot /, '') !== this.token) return socket.close(4_004);
      mine = op === 2 ? this.begin(fields, socket) : this.resume(fields, socket);
    });
    socket.send(JSON.stringify({ op: 10, d: { heartbeat_interval: this.heartbeatMs }, s: null, t: null }));
  }

  private begin({ intents, properties, shard: asks }: JsonObject, socket: WebSocket): Session | null {
    const asked = Number(intents);
    if (typeof properties !== 'object') return refuse(socket, 4_002);
    if (!Number.isInteger(asked) || (asked & ~KNOWN_INTENTS) !== 0) return refuse(socket, 4_013);
    if ((asked & MESSAGE_CONTENT) !== 0 && !this.readsMessages) return refuse(socket, 4_014);
    const shard = (asks ?? [0, 1]) as [number, number];
    if (shard[0] >= shard[1]) return refuse(socket, 4_010);
    if (shard[1] < this.shards) return refuse(socket, 4_011);
    const refusal = this.refusing.get(shard[0]);
    if (refusal !== undefined) return refusal === null ? null : refuse(socket, refusal);
    const now = Date.now();
    this.begins = this.begins.filter((at) => at > now - this.beginEveryMs);
    if (this.begins.length >= this.maxConcurrency && this.beginEveryMs > 0) {
      this.tooSoon += 1;
      socket.send('{"op":9,"d":false,"s":null,"t":null}');
      return null;
    }
    this.begins.push(now);
    this.begun += 1;
    this.remaining -= 1;
    const session = { id: `${this.begun}`.padStart(32, '0'), seq: 0, sent: [], socket, shard };
    this.sessions.set(session.id, session);
    this.dispatch(session, 'READY', {
      v: 10,
      user: { id: BOT, username: 'desk', bot: true },
      guilds: [],
      session_id: session.id,
      resume_gateway_url: `${this.url.replace('http', 'ws')}/resume`,
      application: { id: BOT, flags: 0 },
    });
    return session;
  }

  private resume({ session_id: id, seq }: JsonObject, socket: WebSocket): Session | null {
    const session = this.sessions.get(String(id));
    if (!session) {
      socket.send('{"op":9,"d":false,"s":null,"t":null}');
      return null;
    }
    const from = Number(seq);
    if (from > session.seq) return refuse(socket, 4_007);
    session.socket?.close(4_000);
    session.socket = socket;
    for (const event of session.sent) if (event.s > from) socket.send(JSON.stringify({ op: 0, ...event }));
    this.dispatch(session, 'RESUMED', {});
    return session;
  }

  private dispatch(session: Session, t: string, d: JsonObject): void {
    session.seq += 1;
    const event = { s: session.seq, t, d };
    if (t !== 'RESUMED') session.sent.push(event);
    session.socket?.send(JSON.stringify({ op: 0, ...event }));
  }
}

function refuse(socket: WebSocket, code: number): null {
  socket.close(code);
  return null;
}
