import { isShared, type Manifest, signsTime } from '#libs/adapter-sdk';
import { idDigits } from '#libs/contracts';
import type { Principal } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { AppService } from '../apps/app.service.js';
import { type GatewaySettings, SETTINGS } from '../../env.js';
import type { AvailableSamplesView, SampleView, SendSample } from './sample.dto.js';
import { SampleBodies, samplesOf } from './sample-bodies.js';
import { givenHeaders } from './sample-headers.js';
import { type SampleEndpoint, SampleEndpoints } from './sample-endpoint.js';
import { type SampleKind, signSample } from './sign-sample.js';
import { type WebhookExchange, WebhookRequests } from './webhook-requests.js';

/** The Simulator: requests to an App's own public URL, as its provider would send them. */
@Injectable()
export class SampleService {
  constructor(
    private readonly apps: AppService,
    private readonly endpoints: SampleEndpoints,
    private readonly bodies: SampleBodies,
    private readonly requests: WebhookRequests,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {}

  /** @throws Problem 404 `app_not_found`; 422 as `SampleEndpoints.of` */
  async available(caller: Principal, appId: string): Promise<AvailableSamplesView> {
    const found = await this.endpoints.of(await this.apps.get(caller, appId));
    const { verification } = found.endpoint;
    return {
      kinds: kindsOf(found),
      cannot_sign:
        verification === 'adapter' ? 'The adapter checks signatures itself: only its provider can sign.' : null,
      signature: typeof verification === 'object' ? verification : null,
      data: samplesOf(manifestOf(found)),
    };
  }

  /** @throws Problem 404 `app_not_found`; 422 as `SampleBodies.of`, `signSample` and `SampleEndpoints.of` */
  async send(caller: Principal, appId: string, asked: SendSample): Promise<SampleView> {
    const found = await this.endpoints.of(await this.apps.get(caller, appId));
    const content = await this.bodies.of(caller, manifestOf(found), asked);
    const { kind = 'signed', content_type: contentType } = asked;
    const signs = kind !== 'unsigned' && typeof found.endpoint.verification === 'object';
    const secrets = signs ? await this.endpoints.secretsOf(found) : {};
    const given = {
      'content-type': 'application/json',
      ...content.headers,
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
      ...givenHeaders(asked.headers ?? {}),
    };
    const origin = this.settings.PUBLIC_URL;
    const sample = { origin, path: found.path, headers: given, body: content.body };
    const signed = signSample(kind, sample, found.endpoint.verification, secrets);
    const headers = { ...given, ...signed.headers };
    const exchange = await this.requests.send(caller, {
      method: 'POST',
      path: signed.path,
      headers,
      body: signed.body,
      probe: asked.verification_only ?? false,
    });
    const url = `${origin}${signed.path}`;
    const { answer, error, took_ms: tookMs } = exchange;
    const sent = { method: 'POST' as const, url, headers, body: signed.body };
    return { kind, sent, answer, error, took_ms: tookMs, ...becameOf(exchange) };
  }
}

function manifestOf({ installed }: SampleEndpoint): Manifest | null {
  return installed.adapter?.manifest ?? null;
}

function kindsOf({ endpoint: { verification } }: SampleEndpoint): SampleKind[] {
  if (verification === 'adapter') return ['unsigned'];
  if (verification === 'none') return ['signed', 'unsigned'];
  const tampered = isShared(verification.scheme) ? [] : (['tampered'] as const);
  return ['signed', 'unsigned', ...tampered, ...(signsTime(verification) ? (['stale'] as const) : [])];
}

const location = new RegExp(`/api/v1/events/(evt_${idDigits('evt')})$`);

/** The event that an answer of the ingress names. */
export function becameOf({ answer }: WebhookExchange): { event_id: string | null; duplicate: boolean } {
  const id = location.exec(answer?.headers['location'] ?? '')?.[1] ?? null;
  return { event_id: id, duplicate: id !== null && /"duplicate"\s*:\s*true/.test(answer?.body ?? '') };
}
