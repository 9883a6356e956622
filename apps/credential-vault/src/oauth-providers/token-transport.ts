import { type Egress, EgressError } from '#libs/egress';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { EGRESS } from '../services.js';
import { type RawAnswer, retryAfterSeconds } from './token-answer.js';
import { TokenRefused } from './token-refused.js';

const maxAnswerBytes = 256 * 1024;

/** Sends token requests: one hop, no redirects, no retries, and callers cannot abort them. */
@Injectable()
export class TokenTransport implements OnApplicationShutdown {
  constructor(@Inject(EGRESS) private readonly egress: Egress) {}

  /** @throws TokenRefused `unsent` or `unanswered` */
  async post(url: string, form: string, headers: Record<string, string>, timeoutMs: number): Promise<RawAnswer> {
    try {
      const {
        status,
        headers: answered,
        body,
      } = await this.egress.fetch(url, {
        method: 'POST',
        headers,
        body: form,
        timeoutMs,
        maxRedirects: 0,
        maxResponseBytes: maxAnswerBytes,
      });
      return {
        status,
        contentType: [answered['content-type']].flat()[0] ?? '',
        retryAfter: retryAfterSeconds(answered['retry-after']),
        body: body.toString('utf8'),
      };
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      throw new TokenRefused(error.sent ? 'unanswered' : 'unsent', error.code);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.egress.close();
  }
}
