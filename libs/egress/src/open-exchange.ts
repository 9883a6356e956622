import type { Dispatcher } from 'undici';
import { contentDecoder, isDecodable, type ContentDecoder } from './content-decoder.js';
import { EgressError, type EgressErrorCode } from './egress-error.js';
import { told } from './exchange.js';
import { dispatchOptions, type Hop } from './hop.js';

export interface OpenLimits {
  headersMs: number;
  /** Longest silence between two pieces of the body. */
  bodyIdleMs: number;
  /** Of the body as it came over the wire and, counted apart, of what it decompresses to. */
  maxResponseBytes: number;
  signal?: AbortSignal | undefined;
}

/** A response whose body is still on its way. Cancel the body when it is not wanted: it holds a socket. */
export interface OpenResponse {
  status: number;
  headers: Record<string, string | string[]>;
  body: ReadableStream<Uint8Array>;
}

/** Sends one hop and resolves with its headers. @throws EgressError */
export function openExchange(dispatcher: Dispatcher, hop: Hop, limits: OpenLimits): Promise<OpenResponse> {
  return new Promise((resolve, reject) => {
    const run = new OpenExchange(limits, resolve, reject);
    if (run.settled) return;
    dispatcher.dispatch(dispatchOptions(hop, limits), run);
  });
}

class OpenExchange implements Dispatcher.DispatchHandler {
  settled = false;
  private answered = false;
  private sent = false;
  private wireBytes = 0;
  private bodyBytes = 0;
  private controller: Dispatcher.DispatchController | undefined;
  private reader: ReadableStreamDefaultController<Uint8Array> | undefined;
  private encoding: string | undefined;
  private decoder: ContentDecoder | undefined;
  /** undici's own time-out starts when the request is written: a wait for a connection counts as well here. */
  private readonly timer: NodeJS.Timeout;
  private readonly onAbort = () => this.fail('aborted', 'the caller gave up');

  constructor(
    private readonly limits: OpenLimits,
    private readonly resolve: (response: OpenResponse) => void,
    private readonly reject: (error: EgressError) => void,
  ) {
    this.timer = setTimeout(() => this.fail('timeout', `no answer within ${limits.headersMs} ms`), limits.headersMs);
    limits.signal?.addEventListener('abort', this.onAbort);
    if (limits.signal?.aborted) this.onAbort();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.settled) controller.abort(new EgressError('aborted', 'given up before it was sent'));
    else this.sent = true;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    received: Record<string, string | string[] | undefined>,
  ): void {
    if (this.settled || status < 200) return;
    clearTimeout(this.timer);
    const headers: Record<string, string | string[]> = {};
    for (const [name, value] of Object.entries(received)) if (value !== undefined) headers[name] = value;
    const encoding = received['content-encoding'];
    if (isDecodable(encoding)) {
      this.encoding = encoding;
      delete headers['content-encoding'];
      delete headers['content-length'];
    }
    const body = new ReadableStream<Uint8Array>({
      start: (reader) => {
        this.reader = reader;
      },
      pull: () => this.controller?.resume(),
      cancel: () => this.end(() => this.controller?.abort(new EgressError('aborted', 'not read any further', true))),
    });
    this.answered = true;
    this.resolve({ status, headers, body });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // undici hands over nothing when it is resumed before more has come: to pass that on asks for the next nothing.
    if (this.settled || chunk.length === 0) return;
    if (this.encoding === undefined) return this.take(chunk);
    this.wireBytes += chunk.length;
    if (this.wireBytes > this.limits.maxResponseBytes) return this.tooLarge();
    this.decoder ??= this.decode(contentDecoder(this.encoding, chunk[0] ?? 0));
    if (!this.decoder.write(chunk)) {
      this.controller?.pause();
      this.decoder.once('drain', () => this.controller?.resume());
    }
  }

  onResponseEnd(): void {
    if (this.settled) return;
    if (this.decoder) this.decoder.end();
    else this.end(() => this.reader?.close());
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.settled) return;
    const [code, message] = error instanceof EgressError ? [error.code, error.message] : told(error, this.sent);
    this.fail(code, message, error);
  }

  private decode(decoder: ContentDecoder): ContentDecoder {
    decoder.on('data', (chunk: Buffer) => this.settled || this.take(chunk));
    decoder.on('end', () => this.settled || this.end(() => this.reader?.close()));
    decoder.on('error', (error) => this.settled || this.fail('response_failed', 'body does not decompress', error));
    return decoder;
  }

  private take(chunk: Buffer): void {
    this.bodyBytes += chunk.length;
    if (this.bodyBytes > this.limits.maxResponseBytes) return this.tooLarge();
    this.reader?.enqueue(new Uint8Array(chunk));
    if ((this.reader?.desiredSize ?? 0) <= 0 && !this.decoder) this.controller?.pause();
  }

  private tooLarge(): void {
    this.fail('response_too_large', `response is over ${this.limits.maxResponseBytes} bytes`);
  }

  private fail(code: EgressErrorCode, message: string, cause?: Error): void {
    const error = new EgressError(code, message, this.sent, cause && { cause });
    this.end(() => (this.answered ? this.reader?.error(error) : this.reject(error)));
    this.controller?.abort(error);
  }

  private end(outcome: () => void): void {
    if (this.settled) return;
    this.settled = true;
    clearTimeout(this.timer);
    this.limits.signal?.removeEventListener('abort', this.onAbort);
    this.decoder?.destroy();
    outcome();
  }
}
