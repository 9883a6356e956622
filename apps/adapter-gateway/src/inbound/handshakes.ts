import { isJsonObject } from '#libs/adapter-sdk';
import type { InboundRequest } from '#libs/contracts';
import type { Principal } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { AdapterClient } from '../adapters/adapter-client.js';
import { AppCredentials } from '../apps/app-credentials.js';
import { AppsService } from '../apps/apps.service.js';
import { InstalledApps } from '../apps/installed-apps.js';
import { isChallenge } from './normalized-messages.js';

export interface HandshakeAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Handshakes that only the adapter can answer: `/parse-inbound` says `challenge`, and with what to answer. */
@Injectable()
export class Handshakes {
  constructor(
    @Inject(AppsService) private readonly apps: AppsService,
    @Inject(InstalledApps) private readonly installed: InstalledApps,
    @Inject(AppCredentials) private readonly credentials: AppCredentials,
    @Inject(AdapterClient) private readonly adapters: AdapterClient,
  ) {}

  /** @returns null when the request is no handshake */
  async answer(
    caller: Principal,
    appId: string,
    request: InboundRequest,
    receivedAt: string,
  ): Promise<HandshakeAnswer | null> {
    await this.apps.get(caller, appId);
    const installed = await this.installed.get(appId);
    if (!installed.adapter) return null;
    const parsed = await this.adapters.post<Record<string, unknown>>(
      installed.adapter.baseUrl,
      '/parse-inbound',
      {
        credentials: await this.credentials.ofConnected(installed),
        request,
        received_at: receivedAt,
        ...(installed.app.self ? { self: installed.app.self } : {}),
      },
      caller,
    );
    if (!isChallenge(parsed)) return null;
    return answerOf(parsed['challenge_response']);
  }
}

/** A text is answered as text/plain; an object says status, headers and body itself. */
function answerOf(response: unknown): HandshakeAnswer | null {
  if (typeof response === 'string') return { status: 200, headers: headersOf({}), body: response };
  if (!isJsonObject(response)) return null;
  const { status, headers, body } = response;
  return {
    status: typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 499 ? status : 200,
    headers: headersOf(isJsonObject(headers) ? headers : {}),
    body: typeof body === 'string' ? body : JSON.stringify(body ?? ''),
  };
}

/** The answer is given under this installation's own address: what it echoes must not become a page or a cookie there. */
function headersOf(given: Record<string, unknown>): Record<string, string> {
  const extra = Object.entries(given).flatMap(([name, value]): [string, string][] => {
    const lower = name.toLowerCase();
    return typeof value === 'string' && /^x-[a-z0-9-]+$/.test(lower) && !/[^\x20-\x7e]/.test(value)
      ? [[lower, value]]
      : [];
  });
  const type = Object.entries(given).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  const json = typeof type === 'string' && /^application\/json\b/i.test(type);
  return {
    ...Object.fromEntries(extra),
    'content-type': json ? 'application/json' : 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
  };
}
