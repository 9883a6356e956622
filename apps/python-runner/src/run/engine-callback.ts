import type { PythonHttpRequest } from '#libs/contracts';
import { createEgress, type Egress, EgressError, type EgressResponse } from '#libs/egress';
import { Problem } from '#libs/service-kit';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { isObject, textOf } from '../pool/untrusted.js';
import { type RunnerSettings, SETTINGS } from '../settings.js';

type Answer = { value: unknown } | { refused: string };

/** Puts a tool's HTTP requests to the engine, which makes them. The runner itself calls nobody else. */
@Injectable()
export class EngineCallback implements OnApplicationShutdown {
  private readonly engine: URL;
  private readonly egress: Egress;

  constructor(@Inject(SETTINGS) private readonly settings: RunnerSettings) {
    this.engine = new URL(settings.ENGINE_URL);
    const port = this.engine.port || (this.engine.protocol === 'https:' ? '443' : '80');
    this.egress = createEgress({ allow: [`${this.engine.hostname}:${port}`], maxRedirects: 0 });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.egress.close();
  }

  /** @throws Problem 422 `callback_not_allowed` for an address that is not the engine's */
  check(url: string): void {
    if (URL.canParse(url) && new URL(url).origin === this.engine.origin) return;
    throw new Problem(422, 'callback_not_allowed', 'callback_url is not an address of the engine (ENGINE_URL).');
  }

  async httpRequest(url: string, token: string, request: PythonHttpRequest, signal: AbortSignal): Promise<Answer> {
    try {
      const response = await this.egress.fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(request),
        timeoutMs: this.settings.PYTHON_TIMEOUT_MS,
        // JSON's escapes and the headers beside the body.
        maxResponseBytes: 2 * this.settings.PYTHON_HTTP_BYTES + 65_536,
        onTooLarge: 'fail',
        signal,
      });
      return answerOf(response);
    } catch (error) {
      if (error instanceof EgressError) return { refused: `The request gave no answer (${error.code}).` };
      throw error;
    }
  }
}

function answerOf({ status, body }: EgressResponse): Answer {
  const answer = parsed(body);
  if (!isObject(answer)) return { refused: `The engine answered ${status}.` };
  const { error } = answer;
  if (isObject(error)) return { refused: `${textOf(error['code'], 64)}: ${textOf(error['message'], 500)}` };
  if (status === 200 && typeof answer['status'] === 'number') return { value: answer };
  return { refused: textOf(answer['detail'], 500) || `The engine answered ${status}.` };
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    // A page of a proxy between, say: its status is all there is to tell.
    return null;
  }
}
