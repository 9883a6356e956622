import type { Dispatcher } from 'undici';
import { EgressError } from './egress-error.js';
import { dispatchOptions, type Hop } from './hop.js';
import { HopRun } from './hop-run.js';

export interface ExchangeLimits {
  /** For everything, from the wait for a connection to the last byte. */
  totalMs: number;
  headersMs: number;
  /** Longest silence between two pieces of the body. */
  bodyIdleMs: number;
  /** Limits both the body as received and, separately, its decompressed size. */
  maxResponseBytes: number;
  onTooLarge: 'truncate' | 'fail';
  signal?: AbortSignal | undefined;
}

export interface ExchangeResponse {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
  truncated: boolean;
}

/** Sends one hop and reads its response within the limits. @throws EgressError */
export function exchange(dispatcher: Dispatcher, hop: Hop, limits: ExchangeLimits): Promise<ExchangeResponse> {
  return new Promise((resolve, reject) => {
    const run = new Exchange(limits, resolve, reject).begin(limits.totalMs);
    if (!run.settled) dispatcher.dispatch(dispatchOptions(hop, limits), run);
  });
}

/**
 * Directly on the dispatcher: undici's `request` with an abort signal costs 27 µs of CPU per call, this 20 (1 KB POST).
 */
class Exchange extends HopRun<ExchangeLimits> {
  private status = 0;
  private headers: Record<string, string | string[]> = {};
  private readonly chunks: Buffer[] = [];
  private bodyBytes = 0;

  constructor(
    limits: ExchangeLimits,
    private readonly resolve: (response: ExchangeResponse) => void,
    protected override readonly reject: (error: EgressError) => void,
  ) {
    super(limits);
  }

  protected override answered(status: number, headers: Record<string, string | string[]>): void {
    this.status = status;
    this.headers = headers;
  }

  protected override take(chunk: Buffer): void {
    const room = this.limits.maxResponseBytes - this.bodyBytes;
    this.chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.bodyBytes += Math.min(chunk.length, room);
    if (chunk.length > room) this.tooLarge();
  }

  protected override tooLarge(): void {
    if (this.limits.onTooLarge === 'truncate') this.finish(true);
    else this.fail('response_too_large', `response is over ${this.limits.maxResponseBytes} bytes`);
  }

  protected override complete(): void {
    this.finish(false);
  }

  private finish(truncated: boolean): void {
    const [only] = this.chunks;
    const body = this.chunks.length === 1 && only ? only : Buffer.concat(this.chunks, this.bodyBytes);
    this.settle(() => this.resolve({ status: this.status, headers: this.headers, body, truncated }));
    if (truncated) this.controller?.abort(new EgressError('response_too_large', 'read as far as the limit', true));
  }
}
