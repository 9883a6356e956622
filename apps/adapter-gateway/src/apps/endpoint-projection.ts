import type { Manifest, RequestPlace } from '#libs/adapter-sdk';
import type { DeclaredHandshake, DeclaredVerification, Endpoint } from '#libs/contracts';
import type { AppRow } from './app.entity.js';
import { tokenHash } from './webhook-token.js';

/** What the ingress is told of an App. */
export function endpointOf(app: AppRow, manifest: Manifest | null): Endpoint {
  const webhook = manifest?.webhook;
  return {
    app_id: app.id,
    organization_id: app.organization_id,
    project_id: app.project_id,
    token_hash: tokenHash(app.webhook_token),
    previous_token: app.previous_token_until
      ? { hash: app.previous_token_hash ?? '', until: app.previous_token_until.toISOString() }
      : null,
    retired_token_hashes: app.retired_token_hashes,
    kind: app.kind,
    state: app.state === 'retired' || app.capabilities.includes('receive') ? app.state : 'disabled',
    verification: app.kind === 'builtin' ? (app.signature ?? 'none') : declaredVerification(webhook?.verification),
    handshake: declaredHandshake(webhook?.handshake),
    adapter_handshake: app.kind === 'adapter' && webhook?.handshake?.method !== 'POST',
    ack: { status: webhook?.ack?.status ?? 200, body: ackBody(webhook?.ack?.body), content_type: null },
    delivery_id_header: webhook?.delivery_id_header?.toLowerCase() ?? null,
    max_body_bytes: app.max_body_bytes,
    credential_id: app.credential_id,
    version: app.version,
  };
}

/** Schemes the ingress knows are checked there; every other one is the adapter's. */
function declaredVerification(declared: NonNullable<Manifest['webhook']>['verification']): Endpoint['verification'] {
  if (declared === 'none') return 'none';
  if (typeof declared !== 'object' || !['hmac', 'standard-webhooks'].includes(declared.scheme)) return 'adapter';
  const { secret_fields: fields, header } = declared;
  return {
    ...(declared as object as DeclaredVerification),
    ...(header === undefined ? {} : { header: header.toLowerCase() }),
    secret_fields: Array.isArray(fields) ? fields.map(String) : ['signing_secret', 'signing_secret_next'],
  };
}

function declaredHandshake(declared: NonNullable<Manifest['webhook']>['handshake']): DeclaredHandshake | null {
  if (!declared) return null;
  const { match, respond } = declared;
  return {
    ...declared,
    match: lowerCased(match),
    respond: respond === 'adapter' ? respond : lowerCased(respond),
  };
}

function lowerCased<T extends RequestPlace>(place: T): T {
  return place.header === undefined ? place : { ...place, header: place.header.toLowerCase() };
}

function ackBody(body: unknown): string | null {
  if (body === undefined || body === null) return null;
  return typeof body === 'string' ? body : JSON.stringify(body);
}
