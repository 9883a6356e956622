import { errors, type Dispatcher } from 'undici';
import { contentDecoder, isDecodable, type ContentDecoder } from './content-decoder.js';
import { EgressError, type EgressErrorCode } from './egress-error.js';

interface HopRunLimits {
  /** Limits both the body as received and, separately, its decompressed size. */
  maxResponseBytes: number;
  signal?: AbortSignal | undefined;
}

/** One hop in flight: its timeout, the decompression of its body, and that it settles once. */
export abstract class HopRun<L extends HopRunLimits> implements Dispatcher.DispatchHandler {
  settled = false;
  protected sent = false;
  protected controller: Dispatcher.DispatchController | undefined;
  protected encoding: string | undefined;
  protected decoder: ContentDecoder | undefined;
  private wireBytes = 0;
  private timer: NodeJS.Timeout | undefined;
  private readonly onAbort = () => this.fail('aborted', 'the caller gave up');

  constructor(protected readonly limits: L) {}

  protected abstract answered(status: number, headers: Record<string, string | string[]>): void;
  /** A piece of the body, decompressed. */
  protected abstract take(chunk: Buffer): void;
  protected abstract complete(): void;
  protected abstract tooLarge(): void;
  protected abstract reject(error: EgressError): void;

  /** @param timeoutMs includes the wait for a connection: undici's own timeouts start when the request is written */
  begin(timeoutMs: number): this {
    this.timer = setTimeout(() => this.fail('timeout', `no answer within ${timeoutMs} ms`), timeoutMs);
    this.limits.signal?.addEventListener('abort', this.onAbort);
    if (this.limits.signal?.aborted) this.onAbort();
    return this;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.settled) controller.abort(new EgressError('aborted', 'given up before it was sent'));
    else this.sent = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, received: HeadersReceived): void {
    if (this.settled || status < 200) return;
    const encoding = received['content-encoding'];
    if (isDecodable(encoding)) this.encoding = encoding;
    const headers: Record<string, string | string[]> = {};
    for (const name in received) {
      const value = received[name];
      if (value !== undefined && name !== '__proto__') headers[name] = value;
    }
    if (this.encoding !== undefined) {
      // They describe the compressed bytes, which no caller sees.
      delete headers['content-encoding'];
      delete headers['content-length'];
    }
    this.answered(status, headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // When resumed before more has arrived, undici delivers an empty chunk: passing it on would request the next empty
    // one.
    if (this.settled || chunk.length === 0) return;
    if (this.encoding === undefined) return this.take(chunk);
    this.wireBytes += chunk.length;
    if (this.wireBytes > this.limits.maxResponseBytes) return this.tooLarge();
    this.decoder ??= this.decode(contentDecoder(this.encoding, chunk[0] ?? 0));
    if (!this.decoder.write(chunk)) {
      controller.pause();
      this.decoder.once('drain', () => controller.resume());
    }
  }

  onResponseEnd(): void {
    if (this.settled) return;
    if (this.decoder) this.decoder.end();
    else this.complete();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.settled) return;
    if (error instanceof EgressError) return this.settle(() => this.reject(error));
    const [code, message] = failureOf(error, this.sent);
    this.fail(code, message, error);
  }

  /** From here on, only the rest of the body is awaited. */
  protected stopTimer(): void {
    clearTimeout(this.timer);
  }

  protected fail(code: EgressErrorCode, message: string, cause?: Error): void {
    const error = new EgressError(code, message, this.sent, cause && { cause });
    this.settle(() => this.reject(error));
    this.controller?.abort(error);
  }

  protected settle(outcome: () => void): void {
    if (this.settled) return;
    this.settled = true;
    this.stopTimer();
    this.limits.signal?.removeEventListener('abort', this.onAbort);
    this.decoder?.destroy();
    outcome();
  }

  private decode(decoder: ContentDecoder): ContentDecoder {
    decoder.on('data', (chunk: Buffer) => this.settled || this.take(chunk));
    decoder.on('end', () => this.settled || this.complete());
    decoder.on('error', (error) => this.settled || this.fail('response_failed', 'body does not decompress', error));
    return decoder;
  }
}

type HeadersReceived = Record<string, string | string[] | undefined>;
type Failure = readonly [EgressErrorCode, string];

const BROKE: Failure = ['response_failed', 'the connection broke before the response was complete'];
const UNREACHED: Failure = ['connect_failed', 'no connection could be made'];

/** What an undici error means to callers. @param sent whether a server may have seen the request */
function failureOf(error: Error, sent: boolean): Failure {
  if (error instanceof errors.ConnectTimeoutError) return ['timeout', 'no connection in time'];
  if (error instanceof errors.HeadersTimeoutError) return ['timeout', 'no response headers in time'];
  if (error instanceof errors.BodyTimeoutError) return ['timeout', 'the response body stalled'];
  if (error instanceof errors.HeadersOverflowError) return ['response_too_large', 'response headers are too large'];
  if (error instanceof errors.InvalidArgumentError) return ['invalid_request', 'a header or the path is malformed'];
  return sent ? BROKE : UNREACHED;
}
