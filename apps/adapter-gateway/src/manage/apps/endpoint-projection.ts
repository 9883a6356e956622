import { type Manifest, type RequestPlace, SIGNATURE_SCHEMES } from '#libs/adapter-sdk';
import {
  type DeclaredHandshake,
  type DeclaredVerification,
  type Endpoint,
  fieldsFor,
  type KeyCheck,
  type LinkedCredential,
} from '#libs/contracts';
import { senderById } from '#libs/webhook-senders';
import type { AdapterRow, AppRow } from '../../entities/app.entity.js';
import { linksOf } from '../../path/apps/app-credentials.js';
import { capabilitiesOf } from '../../path/apps/installed-apps.js';

/** What the ingress is shown about an App. @param adapter null for the built-in Webhook app */
export function endpointOf(app: AppRow, adapter: Pick<AdapterRow, 'manifest' | 'disabled'> | null): Endpoint {
  const manifest = adapter?.manifest ?? null;
  const webhook = manifest?.webhook;
  const verification = app.kind === 'builtin' ? (app.signature ?? 'none') : declaredVerification(webhook?.verification);
  const sender = app.sender === null ? undefined : senderById(app.sender);
  const handshake = sender?.handshake ?? declaredHandshake(webhook?.handshake);
  return {
    app_id: app.id,
    organization_id: app.organization_id,
    project_id: app.project_id,
    token_hash: app.token_hash,
    previous_token: app.previous_token_until
      ? { hash: app.previous_token_hash ?? '', until: app.previous_token_until.toISOString() }
      : null,
    retired_token_hashes: app.retired_token_hashes,
    kind: app.kind,
    state: stateOf(app, manifest, adapter?.disabled === true),
    verification,
    handshake,
    adapter_handshake: app.kind === 'adapter' && webhook?.handshake?.method !== 'POST',
    ack: sender?.ack ?? { status: webhook?.ack?.status ?? 200, body: ackBody(webhook?.ack?.body), content_type: null },
    delivery_id_header: webhook?.delivery_id_header?.toLowerCase() ?? null,
    max_body_bytes: app.max_body_bytes,
    credentials: secretsOf(app, manifest, verification, handshake),
    ...(app.kind === 'builtin' ? { direct: directOf(app) } : {}),
    version: app.version,
  };
}

function directOf(app: AppRow): Endpoint['direct'] {
  const { sender, reading, signature, text_from } = app;
  const sends = capabilitiesOf(app, null).includes('send');
  return { sender, reading, signature, sends, ...(text_from === 'system' ? { text_from } : {}) };
}

/** Messages for an App whose adapter is disabled are held, as for one that is paused. */
function stateOf(app: AppRow, manifest: Manifest | null, disabled: boolean): Endpoint['state'] {
  if (app.state !== 'retired' && app.project_closed) return 'project_closed';
  if (app.state !== 'retired' && !capabilitiesOf(app, manifest).includes('receive')) return 'disabled';
  return disabled && app.state === 'active' ? 'paused' : app.state;
}

/**
 * The records that the ingress checks signatures and handshakes with; none where the adapter checks them. Tokens are
 * left out: a record that is not connected yet must not keep the ingress from checking a signature.
 */
function secretsOf(
  app: AppRow,
  manifest: Manifest | null,
  verification: Endpoint['verification'],
  handshake: DeclaredHandshake | null,
): LinkedCredential[] {
  const fields = checkedWith({ verification, handshake });
  if (fields.length === 0) return [];
  return linksOf(app, manifest).filter(({ type, maps_to: name }) => type !== 'oauth2' || fields.includes(name));
}

/** The fields that the ingress needs of each record, by credential id. Null: every field; a missing id: none. */
export function signingFields(endpoint: Endpoint): Map<string, string[] | null> {
  return fieldsFor(endpoint.credentials, checkedWith(endpoint));
}

/** Which fields hold the keys that requests are checked with, by credential id; a verify token is no key. */
export function keyChecks(endpoint: Endpoint): Map<string, KeyCheck> {
  const { verification, handshake, credentials } = endpoint;
  const form =
    typeof verification === 'object' && verification.scheme === 'standard-webhooks' ? verification.scheme : 'text';
  const keys = checkedWith({ verification, handshake: handshake && { ...handshake, verify_token: undefined } });
  if (keys.length === 0) return new Map();
  const checks = new Map<string, KeyCheck>();
  for (const { credential_id: id, key, type, maps_to: name } of credentials) {
    const { fields, or_only_field: only } = checks.get(id) ?? { fields: keys, or_only_field: false };
    const meant = keys.includes(name);
    const names = meant ? [key, key.toLowerCase(), name, ...(type === 'api_key' ? ['token'] : [])] : [];
    checks.set(id, {
      form,
      fields: [...new Set([...fields, ...names])],
      or_only_field: only || (meant && type === 'text'),
    });
  }
  return checks;
}

function checkedWith({ verification, handshake }: Pick<Endpoint, 'verification' | 'handshake'>): string[] {
  return [
    ...(typeof verification === 'object' ? verification.secret_fields : []),
    ...[handshake?.verify_token?.field, hmacField(handshake)].filter((field) => field !== undefined),
  ];
}

function hmacField(handshake: DeclaredHandshake | null): string | undefined {
  return handshake === null || handshake.respond === 'adapter' ? undefined : handshake.respond.hmac?.field;
}

/** The ingress checks the schemes that it knows; every other one is left to the adapter. */
function declaredVerification(declared: NonNullable<Manifest['webhook']>['verification']): Endpoint['verification'] {
  if (declared === 'none') return 'none';
  if (typeof declared !== 'object' || !SIGNATURE_SCHEMES.some((known) => known === declared.scheme)) return 'adapter';
  const { secret_fields: fields } = declared;
  return withLowerCaseHeaders({
    ...(declared as object as DeclaredVerification),
    secret_fields: Array.isArray(fields) ? fields.map(String) : ['signing_secret', 'signing_secret_next'],
  });
}

/** Node gives the names of headers in lower case. */
export function withLowerCaseHeaders(declared: DeclaredVerification): DeclaredVerification {
  const { header, timestamp_header: time } = declared;
  return {
    ...declared,
    ...(typeof header === 'string' ? { header: header.toLowerCase() } : {}),
    ...(typeof time === 'string' ? { timestamp_header: time.toLowerCase() } : {}),
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
