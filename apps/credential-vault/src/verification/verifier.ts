import { redactSecrets } from '#libs/adapter-sdk';
import { notFound, type Principal, Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { AuditRepository } from '../audit/audit.repository.js';
import { leaves, nameOf } from '../bindings/binding-rules.js';
import { BindingRepository } from '../bindings/binding.repository.js';
import type { CredentialScope } from '../credentials/credential-scope.js';
import { CredentialOpener } from '../credentials/credential-opener.js';
import type { Credential } from '../credentials/credential.entity.js';
import { type CredentialChange, CredentialRepository } from '../credentials/credential.repository.js';
import { isProtected } from '../credentials/field-rules.js';
import { type FieldValue, fromSecret } from '../credentials/field-value.js';
import { FreshTokens } from '../grants/fresh-tokens.service.js';

/** DI token of the client of the gateway, which alone calls adapters. */
export const GATEWAY = Symbol('gateway');

const maxReasonLength = 500;

/** The gateway's answer for `POST internal/adapter-calls/verify`. */
interface AdapterVerdict {
  ok: boolean;
  account?: { id?: string; name?: string } | null;
  error?: string;
}

/** What came of asking the provider. */
export interface Verification {
  ok: boolean;
  status: string;
  reason: string | null;
  /** True when the credential belongs to another account of the provider than it did. */
  account_changed: boolean;
}

@Injectable()
export class Verifier {
  private readonly logger = new Logger('verification');

  constructor(
    @Inject(CredentialRepository) private readonly credentials: CredentialRepository,
    @Inject(BindingRepository) private readonly bindings: BindingRepository,
    @Inject(CredentialOpener) private readonly opener: CredentialOpener,
    @Inject(FreshTokens) private readonly tokens: FreshTokens,
    @Inject(AuditRepository) private readonly audit: AuditRepository,
    @Inject(GATEWAY) private readonly gateway: ServiceClient,
  ) {}

  /** Asks where there is an adapter to ask. The save stands whatever comes of it, also when the adapter is away. */
  async afterSave(caller: Principal, id: string): Promise<void> {
    const row = await this.credentials.find(caller, id);
    if (!row?.adapter_slug || row.status === 'pending') return;
    try {
      await this.ask(caller, row, row.adapter_slug);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.logger.warn({ event: 'credential.not_verified', credential_id: id, code: error.code });
      await this.credentials.note(id, row.generation, { reason: `not verified yet: ${error.code}` });
    }
  }

  /** @throws Problem 409 `no_adapter`, 409 `credential_undecryptable`, or what the gateway says, such as 503 */
  async verify(caller: Principal, id: string): Promise<Verification> {
    const row = await this.credentials.find(caller, id);
    if (!row) throw notFound('credential', id);
    if (!row.adapter_slug) {
      throw new Problem(409, 'no_adapter', `Credential ${id} names no adapter to ask: set its adapter_slug.`);
    }
    return this.ask(caller, row, row.adapter_slug);
  }

  private async ask(caller: Principal, row: Credential, adapterSlug: string): Promise<Verification> {
    const credentials = await this.forAdapter(caller, row);
    const verdict = await this.gateway.post<AdapterVerdict>('/internal/adapter-calls/verify', caller, {
      organization_id: row.organization_id,
      adapter_slug: adapterSlug,
      credentials,
    });
    const change = changeOf(row, adapterSlug, verdict, credentials);
    await this.credentials.note(row.id, row.generation, change);
    const { organizationId, projectId, subject: actor } = caller;
    await this.audit.append([
      {
        organizationId,
        projectId,
        credentialId: row.id,
        actor,
        action: 'verified',
        fields: row.fields.map(({ field }) => field),
        reason: verdict.ok ? 'ok' : 'refused',
      },
    ]);
    const fingerprint = change.account_fingerprint;
    return {
      ok: verdict.ok,
      status: change.status ?? row.status,
      reason: change.reason ?? null,
      account_changed: Boolean(fingerprint && row.account_fingerprint && fingerprint !== row.account_fingerprint),
    };
  }

  /** As the App gets it: by the names of its binding where there is one, and without what may not leave. */
  private async forAdapter(scope: CredentialScope, row: Credential): Promise<Record<string, FieldValue>> {
    const binding = (await this.bindings.ofCredential(scope, row.id)).find((each) => each.consumer_kind === 'app');
    const mayLeave = (field: string): boolean => (binding ? leaves(row, binding, field) : !isProtected(row, field));
    const names = row.fields.map(({ field }) => field).filter(mayLeave);
    const opened = await this.opener.open(row, names);
    const tokens = row.type === 'oauth2' ? await this.tokens.of(scope, row.id) : null;
    for (const [field, token] of tokens ?? []) if (mayLeave(field)) opened.set(field, token);
    return Object.fromEntries(
      [...opened].map(([field, secret]) => [binding ? nameOf(binding, field) : field, fromSecret(secret)]),
    );
  }
}

/** Codes of the adapter contract that say nothing of the credential: a provider that is down disables nothing. */
const notItsFault = ['provider_unavailable', 'rate_limited', 'timeout'];

/** A refusal ends no oauth2 credential: its tokens have a life of their own, and states for it. */
function changeOf(
  row: Credential,
  adapterSlug: string,
  { ok, account, error }: AdapterVerdict,
  credentials: Record<string, FieldValue>,
): CredentialChange {
  const last_verified_at = new Date();
  if (!ok) {
    // Adapters quote providers, and providers quote what they were sent.
    const said = redactSecrets(error ?? 'the provider refused it', credentials).slice(0, maxReasonLength);
    if (notItsFault.includes(error ?? '')) return { reason: `not verified: ${said}` };
    return { last_verified_at, reason: said, ...(row.type === 'oauth2' ? {} : { status: 'invalid' as const }) };
  }
  const status = row.status === 'invalid' ? ('active' as const) : row.status;
  if (!account?.id) return { last_verified_at, reason: null, status };
  const fingerprint = createHash('sha256').update(`${adapterSlug}\n${account.id}`).digest('hex');
  const changed = row.account_fingerprint !== null && row.account_fingerprint !== fingerprint;
  return {
    last_verified_at,
    status,
    reason: changed ? `belongs to another account than before: it was ${row.account?.id ?? 'unknown'}` : null,
    account: { id: account.id.slice(0, 200), name: account.name?.slice(0, 200) ?? null },
    account_fingerprint: fingerprint,
  };
}
