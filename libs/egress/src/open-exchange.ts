import type { Dispatcher } from 'undici';
import { EgressError } from './egress-error.js';
import { dispatchOptions, type Hop } from './hop.js';
import { HopRun } from './hop-run.js';

export interface OpenLimits {
  headersMs: number;
  /** Longest silence between two pieces of the body. */
  bodyIdleMs: number;
  /** Limits both the body as received and, separately, its decompressed size. */
  maxResponseBytes: number;
  signal?: AbortSignal | undefined;
}

/** A response whose body is still arriving. Cancel the body when it is not needed, because it holds a socket. */
export interface OpenResponse {
  status: number;
  headers: Record<string, string | string[]>;
  body: ReadableStream<Uint8Array>;
}

/** Sends one hop and resolves with its headers. @throws EgressError */
export function openExchange(dispatcher: Dispatcher, hop: Hop, limits: OpenLimits): Promise<OpenResponse> {
  return new Promise((resolve, reject) => {
    const run = new OpenExchange(limits, resolve, reject).begin(limits.headersMs);
    if (!run.settled) dispatcher.dispatch(dispatchOptions(hop, limits), run);
  });
}

class OpenExchange extends HopRun<OpenLimits> {
  private bodyBytes = 0;
  private reader: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor(
    limits: OpenLimits,
    private readonly resolve: (response: OpenResponse) => void,
    private readonly rejectHop: (error: EgressError) => void,
  ) {
    super(limits);
  }

  protected override answered(status: number, headers: Record<string, string | string[]>): void {
    this.stopTimer();
    const body = new ReadableStream<Uint8Array>({
      start: (reader) => {
        this.reader = reader;
      },
      pull: () => this.controller?.resume(),
      cancel: () => this.settle(() => this.controller?.abort(new EgressError('aborted', 'not read any further', true))),
    });
    this.resolve({ status, headers, body });
  }

  protected override take(chunk: Buffer): void {
    this.bodyBytes += chunk.length;
    if (this.bodyBytes > this.limits.maxResponseBytes) return this.tooLarge();
    this.reader?.enqueue(new Uint8Array(chunk));
    if ((this.reader?.desiredSize ?? 0) <= 0 && !this.decoder) this.controller?.pause();
  }

  protected override complete(): void {
    this.settle(() => this.reader?.close());
  }

  protected override tooLarge(): void {
    this.fail('response_too_large', `response is over ${this.limits.maxResponseBytes} bytes`);
  }

  protected override reject(error: EgressError): void {
    if (this.reader) this.reader.error(error);
    else this.rejectHop(error);
  }
}
