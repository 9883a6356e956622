import type { Socket } from 'node:net';
import { answerHead, type PlainHead, plainHead } from './plain-head.js';

/** What a connection needs of the front door. */
export interface Door {
  /** Begins a connection to the ingress; null: it has as many as it may. */
  connect(): Socket | null;
  /** The lines that tell the ingress whose request it is, each with its CRLF; null: not now. */
  vouch(client: Socket): string | null;
  /** Has the portal's own server serve the client, from these bytes on. */
  giveBack(client: Socket, unread: Buffer): void;
  /** Notes that a request has begun. @returns to be called when its answer is complete */
  begin(client: Socket): () => void;
  readonly isClosing: boolean;
}

/** A request that was handed on whole, until its answer is complete. */
interface Exchange {
  /** Bytes of the answer that have not come; null: its head has not. */
  answerLeft: number | null;
  answerSoFar: Buffer;
  /** Whether the connection ends with it. */
  closes: boolean;
  end: () => void;
}

const nothing: Buffer = Buffer.alloc(0);
/** So much of a body is waited for here, for as long as this. What is longer or slower, the portal's server reads. */
const waitsFor = { bytes: 16_384, ms: 1_000 };

/**
 * A client's connection whose webhooks go to the ingress as bytes, each whole and one at a time: a body that comes
 * slowly holds no connection to the ingress. The first request that is no plain webhook, or not soon whole, gives the
 * connection to the portal's server for good.
 */
export class WebhookConnection {
  private ingress: Socket | null = null;
  /** What waits for the connection to the ingress. */
  private first: Buffer | null = null;
  private exchange: Exchange | null = null;
  /** What came behind the request that is being answered. */
  private held = nothing;
  /** A request whose body has not come, and what ends the wait for it. */
  private unfinished: { bytes: Buffer; timer: NodeJS.Timeout } | null = null;
  private readonly clientEvents = {
    data: (bytes: Buffer) => this.fromClient(bytes),
    end: () => this.clientEnds(),
    error: () => this.destroy(),
    close: () => this.destroy(),
    timeout: () => this.destroy(),
  };

  /** @param silenceMs of a connection on which nothing moves, after which it is closed */
  constructor(
    private readonly client: Socket,
    private readonly door: Door,
    silenceMs: number,
  ) {
    client.setTimeout(silenceMs);
    for (const [event, listener] of Object.entries(this.clientEvents)) client.on(event, listener);
  }

  /** Takes what the client has sent, from the beginning of a request. */
  next(bytes: Buffer): void {
    const head = this.door.isClosing ? null : plainHead(bytes);
    const lines = head && this.door.vouch(this.client);
    if (!head || lines === null) return this.giveBack(bytes);
    if (bytes.length < head.end + head.bodyBytes) return this.waitForBody(bytes, head);
    clearTimeout(this.unfinished?.timer);
    this.unfinished = null;
    if (this.ingress) return this.send(this.ingress, bytes, head, lines);
    const ingress = this.door.connect();
    if (!ingress) return this.giveBack(bytes);
    this.client.pause();
    this.first = bytes;
    ingress.once('connect', () => {
      this.first = null;
      if (this.client.destroyed) return ingress.destroy();
      this.ingress = ingress;
      this.send(ingress, bytes, head, lines);
      if (this.client.readableEnded) this.clientEnds();
      else if (this.held.length === 0) this.client.resume();
      return undefined;
    });
    ingress.on('data', (answer: Buffer) => this.fromIngress(answer));
    ingress.on('error', () => undefined);
    ingress.on('timeout', () => this.ingressIsSilent());
    ingress.once('close', () => this.ingressCloses(ingress));
  }

  private waitForBody(bytes: Buffer, { bodyBytes }: PlainHead): void {
    if (bodyBytes > waitsFor.bytes) return this.giveBack(bytes);
    const timer =
      this.unfinished?.timer ?? setTimeout(() => this.giveBack(this.unfinished?.bytes ?? nothing), waitsFor.ms);
    this.unfinished = { bytes, timer };
  }

  /** Ends now where no request is being answered, else with its answer. */
  close(): void {
    if (this.exchange) this.exchange.closes = true;
    else this.destroy();
  }

  private send(ingress: Socket, bytes: Buffer, { lineEnd, end, bodyBytes }: PlainHead, lines: string): void {
    const upTo = end + bodyBytes;
    this.exchange = {
      answerLeft: null,
      answerSoFar: nothing,
      closes: false,
      end: this.door.begin(this.client),
    };
    const request = Buffer.allocUnsafe(upTo + lines.length);
    bytes.copy(request, 0, 0, lineEnd);
    request.write(lines, lineEnd, 'latin1');
    bytes.copy(request, lineEnd + lines.length, lineEnd, upTo);
    this.write(ingress, request);
    if (upTo < bytes.length) this.hold(bytes.subarray(upTo));
  }

  private fromClient(bytes: Buffer): void {
    const { exchange, unfinished } = this;
    if (!exchange) return this.next(unfinished ? Buffer.concat([unfinished.bytes, bytes]) : bytes);
    if (exchange.answerLeft === Number.POSITIVE_INFINITY) {
      // Only the client knows where such an answer ends, and it has gone on.
      this.answered(exchange, true);
      return this.next(bytes);
    }
    this.hold(bytes);
  }

  /** The next request waits for the answer to this one. */
  private hold(bytes: Buffer): void {
    this.held = this.held.length === 0 ? bytes : Buffer.concat([this.held, bytes]);
    this.client.pause();
  }

  private write(ingress: Socket, bytes: Buffer): void {
    if (ingress.write(bytes)) return;
    this.client.pause();
    ingress.once('drain', () => {
      if (this.held.length === 0) this.client.resume();
    });
  }

  private fromIngress(bytes: Buffer): void {
    const { client, exchange, ingress } = this;
    if (!exchange) return;
    const keepsUp = client.write(bytes);
    count(exchange, bytes);
    if (exchange.answerLeft === 0) return this.answered(exchange, keepsUp);
    if (keepsUp) return;
    ingress?.pause();
    client.once('drain', () => ingress?.resume());
  }

  private answered({ end, closes }: Exchange, clientKeepsUp: boolean): void {
    const { client, held } = this;
    this.exchange = null;
    end();
    if (closes || client.readableEnded) {
      client.destroySoon();
      return;
    }
    if (held.length === 0 && clientKeepsUp) return;
    this.held = nothing;
    const proceed = (): void => {
      client.resume();
      if (held.length > 0) this.next(held);
    };
    if (clientKeepsUp) proceed();
    else client.once('drain', proceed);
  }

  private ingressCloses(ingress: Socket): void {
    if (this.client.destroyed) return;
    if (this.first) return this.giveBack(this.first);
    if (this.ingress !== ingress) return;
    this.ingress = null;
    // The end of the connection must not look like the end of an answer.
    if (this.exchange) this.client.resetAndDestroy();
  }

  private ingressIsSilent(): void {
    if (this.exchange) this.client.resetAndDestroy();
  }

  /** The answer is still sent. */
  private clientEnds(): void {
    if (!this.first && !this.exchange) this.destroy();
  }

  private giveBack(bytes: Buffer): void {
    const { client, ingress } = this;
    for (const [event, listener] of Object.entries(this.clientEvents)) client.off(event, listener);
    client.setTimeout(0);
    clearTimeout(this.unfinished?.timer);
    this.unfinished = null;
    this.ingress = null;
    ingress?.destroy();
    // What has ended cannot be read once more.
    if (client.readableEnded) return void client.resetAndDestroy();
    this.door.giveBack(client, bytes);
  }

  private destroy(): void {
    const { exchange, ingress } = this;
    this.exchange = null;
    exchange?.end();
    clearTimeout(this.unfinished?.timer);
    this.client.destroy();
    ingress?.destroy();
  }
}

function count(exchange: Exchange, bytes: Buffer): void {
  if (exchange.answerLeft !== null) {
    exchange.answerLeft -= bytes.length;
    return;
  }
  exchange.answerSoFar = exchange.answerSoFar.length === 0 ? bytes : Buffer.concat([exchange.answerSoFar, bytes]);
  const head = answerHead(exchange.answerSoFar);
  if (!head) return;
  exchange.answerLeft = head.bodyBytes - (exchange.answerSoFar.length - head.end);
  exchange.closes ||= head.closes;
  exchange.answerSoFar = nothing;
}
