import type { PythonHttpRequest } from '#libs/contracts';
import { createEgress, type Egress, EgressError, type EgressResponse } from '#libs/egress';
import { Problem } from '#libs/service-kit';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { isObject, textOf } from '../pool/untrusted.js';
import { type RunnerSettings, SETTINGS } from '../settings.js';

type Answer = { value: unknown } | { refused: string };

/** Passes a tool's questions to the engine. The runner itself calls nothing else. */
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

  /** @throws Problem 422 `callback_not_allowed` for an address outside the engine */
  check(url: string): void {
    if (URL.canParse(url) && new URL(url).origin === this.engine.origin) return;
    throw new Problem(422, 'callback_not_allowed', 'callback_url does not point to the engine (ENGINE_URL).');
  }

  async httpRequest(url: string, token: string, request: PythonHttpRequest, signal: AbortSignal): Promise<Answer> {
    // Room for JSON escapes, and for the headers besides the body.
    const maxResponseBytes = 2 * this.settings.PYTHON_HTTP_BYTES + 65_536;
    const response = await this.ask(url, token, request, maxResponseBytes, signal);
    if (response instanceof EgressError) return { refused: `The request got no answer (${response.code}).` };
    return answerOf(response, ({ status }) => typeof status === 'number');
  }

  /** The received event of the call's turn: all of it, or a refusal with its reason. */
  async event(url: string, token: string, signal: AbortSignal): Promise<Answer> {
    const { PYTHON_EVENT_BYTES: maxBytes } = this.settings;
    // JSON may escape every byte as six characters.
    const response = await this.ask(url, token, {}, 6 * maxBytes + 65_536, signal);
    const tooLarge = { refused: `The body of the event has more than ${maxBytes} bytes, the limit of event().` };
    if (response instanceof EgressError) {
      return response.code === 'response_too_large'
        ? tooLarge
        : { refused: `The event could not be read (${response.code}).` };
    }
    const answer = answerOf(response, ({ body }) => typeof body === 'string');
    const { body, body_encoding: encoding } = 'value' in answer && isObject(answer.value) ? answer.value : {};
    const bytes = Buffer.byteLength(typeof body === 'string' ? body : '', encoding === 'base64' ? 'base64' : 'utf8');
    return bytes > maxBytes ? tooLarge : answer;
  }

  private async ask(
    url: string,
    token: string,
    body: object,
    maxResponseBytes: number,
    signal: AbortSignal,
  ): Promise<EgressResponse | EgressError> {
    try {
      return await this.egress.fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        timeoutMs: this.settings.PYTHON_TIMEOUT_MS,
        maxResponseBytes,
        onTooLarge: 'fail',
        signal,
      });
    } catch (error) {
      if (error instanceof EgressError) return error;
      throw error;
    }
  }
}

function answerOf({ status, body }: EgressResponse, fits: (answer: Record<string, unknown>) => boolean): Answer {
  const answer = parsed(body);
  if (!isObject(answer)) return { refused: `The engine answered ${status}.` };
  const { error } = answer;
  if (isObject(error)) return { refused: `${textOf(error['code'], 64)}: ${textOf(error['message'], 500)}` };
  if (status === 200 && fits(answer)) return { value: answer };
  return { refused: textOf(answer['detail'], 500) || `The engine answered ${status}.` };
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    // An error page of a proxy, for example: only its status is known.
    return null;
  }
}
