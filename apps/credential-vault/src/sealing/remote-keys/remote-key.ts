import { Problem } from '#libs/service-kit';
import { Logger } from '@nestjs/common';
import { DoesNotOpen } from '../aead.js';
import type { WrappingKey } from '../wrapping-key.js';

/** The operations of a key management service. It also says which refusals mean that the bytes do not open. */
export interface RemoteCalls extends WrappingKey {
  isRefusalToOpen(error: unknown): boolean;
}

const retryAfterSeconds = '5';

/**
 * A key that stays in a key management service. A failure of the service is never treated as a value that does not
 * open: the value would be shown as lost although it only has to wait.
 */
export class RemoteKey implements WrappingKey {
  private readonly logger = new Logger('keys');
  private calls: Promise<RemoteCalls> | undefined;

  /**
   * @param connect loads the client at first use, so that installations without such a key do not have it in memory
   * @param timeoutMs for one wrap or unwrap, including the client's own retries
   */
  constructor(
    private readonly kid: string,
    private readonly connect: () => Promise<RemoteCalls>,
    private readonly timeoutMs: number,
  ) {}

  wrap(plain: Buffer, aad: Buffer): Promise<Buffer> {
    return this.ask('wrap', (calls) => calls.wrap(plain, aad));
  }

  unwrap(wrapped: Buffer, aad: Buffer): Promise<Buffer> {
    return this.ask('unwrap', async (calls) => {
      try {
        return await calls.unwrap(wrapped, aad);
      } catch (error) {
        if (calls.isRefusalToOpen(error)) throw new DoesNotOpen();
        throw error;
      }
    });
  }

  private async ask(what: string, use: (calls: RemoteCalls) => Promise<Buffer>): Promise<Buffer> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${this.timeoutMs} ms`)), this.timeoutMs);
    });
    try {
      this.calls ??= this.connect();
      return await Promise.race([this.calls.then(use), late]);
    } catch (error) {
      if (error instanceof DoesNotOpen) throw error;
      const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      this.logger.error({ event: 'key.unavailable', kid: this.kid, call: what, error: reason.slice(0, 500) });
      throw new Problem(
        503,
        'key_unavailable',
        `The key ${this.kid} is in a key management service that did not answer as expected (see the vault's log): ` +
          'nothing is lost, try again.',
        [],
        { 'retry-after': retryAfterSeconds },
      );
    } finally {
      clearTimeout(timer);
    }
  }
}
