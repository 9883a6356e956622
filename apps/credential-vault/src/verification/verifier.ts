import type { ProjectScope } from '#libs/contracts';
import { notFound, type Principal, Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { AuditRepository } from '../audit/audit.repository.js';
import { leaves, namedLast, nameOf } from '../bindings/binding-rules.js';
import { BindingRepository } from '../bindings/binding.repository.js';
import { CredentialOpener } from '../credential-store/credential-opener.js';
import type { Credential } from '../credential-store/credential.entity.js';
import { type CredentialChange, CredentialRepository } from '../credential-store/credential.repository.js';
import { hasStoredTokens, isProtected } from '../credential-store/field-rules.js';
import { type FieldValue, fromSecret } from '../credential-store/field-value.js';
import { FreshTokenService } from '../grants/fresh-token.service.js';
import type { Secret } from '../sealing/secret.js';
import { GATEWAY } from '../services.js';
import { type AdapterVerdict, changeOf, notVerified, refusedCode } from './adapter-verdict.js';

/** The result of asking the provider. */
export interface Verification {
  ok: boolean;
  status: string;
  /** Null when ok. */
  code: string | null;
  reason: string | null;
  /** True when the credential now belongs to another account of the provider. */
  account_changed: boolean;
}

/** On whose behalf an adapter is asked. */
type CallerOfAdapters = Pick<Principal, 'organizationId' | 'projectId' | 'subject'>;

@Injectable()
export class Verifier {
  private readonly logger = new Logger('verification');

  constructor(
    private readonly credentials: CredentialRepository,
    private readonly bindings: BindingRepository,
    private readonly opener: CredentialOpener,
    private readonly tokens: FreshTokenService,
    private readonly audit: AuditRepository,
    @Inject(GATEWAY) private readonly gateway: ServiceClient,
  ) {}

  /** Asks the adapter, if there is one. The save stands whatever the result, also when the adapter is unavailable. */
  async afterSave(caller: Principal, id: string): Promise<void> {
    const row = await this.credentials.find(caller, id);
    if (!row?.adapter_slug || row.status === 'pending') return;
    await this.ask(caller, row, row.adapter_slug);
  }

  /**
   * If the provider cannot be asked, the outcome says why.
   * @throws Problem 404 `credential_not_found`, 409 `no_adapter`
   */
  async verify(caller: Principal, id: string): Promise<Verification> {
    const row = await this.credentials.find(caller, id);
    if (!row) throw notFound('credential', id);
    if (!row.adapter_slug) {
      throw new Problem(
        409,
        'no_adapter',
        `Credential ${id} has no adapter that could verify it: set its adapter_slug.`,
      );
    }
    return this.ask(caller, row, row.adapter_slug);
  }

  /**
   * Asks about tokens that are not in place yet, since their account decides whether they will be.
   * @param adapterSlug the adapter to ask if the credential names none
   * @returns the changes to store in the credential; null when it is gone or there is no adapter to ask
   */
  async ofTokens(
    caller: CallerOfAdapters,
    id: string,
    tokens: ReadonlyMap<string, Secret>,
    adapterSlug: string | null,
  ): Promise<CredentialChange | null> {
    const row = await this.credentials.find(caller, id);
    const slug = row?.adapter_slug ?? adapterSlug;
    if (!row || !slug) return null;
    return (await this.examine(caller, row, slug, () => Promise.resolve(tokens))).change;
  }

  /** Whether the adapter says that its provider refuses these tokens. Null when it could not be asked. */
  async refuses(
    caller: CallerOfAdapters,
    id: string,
    tokens: ReadonlyMap<string, Secret>,
    adapterSlug: string | null,
  ): Promise<boolean | null> {
    const row = await this.credentials.find(caller, id);
    const slug = row?.adapter_slug ?? adapterSlug;
    if (!row || !slug) return null;
    const { ok, code } = await this.examine(caller, row, slug, () => Promise.resolve(tokens));
    return ok || code === refusedCode ? !ok : null;
  }

  private async ask(caller: Principal, row: Credential, adapterSlug: string): Promise<Verification> {
    const { ok, code, reason, change } = await this.examine(caller, row, adapterSlug, () => this.tokensOf(caller, row));
    if (change) await this.credentials.note(row.id, row.generation, change);
    const fingerprint = change?.account_fingerprint;
    return {
      ok,
      status: change?.status ?? row.status,
      code,
      reason,
      account_changed: Boolean(fingerprint && row.account_fingerprint && fingerprint !== row.account_fingerprint),
    };
  }

  /** @throws Problem as `FreshTokenService.of`; 409 `not_connected` also when nobody has started to connect it */
  private async tokensOf(caller: Principal, row: Credential): Promise<ReadonlyMap<string, Secret> | null> {
    const tokens =
      row.type === 'oauth2' ? await this.tokens.of(caller, row.id, { storedTokens: hasStoredTokens(row) }) : null;
    if (tokens !== null || row.status !== 'pending') return tokens?.values ?? null;
    throw new Problem(409, 'not_connected', `Credential ${row.id} is not connected: connect it first.`);
  }

  /** `change` is null when nothing new is known about the credential: its own state says why it cannot be used. */
  private async examine(
    caller: CallerOfAdapters,
    row: Credential,
    adapterSlug: string,
    tokens: () => Promise<ReadonlyMap<string, Secret> | null>,
  ): Promise<Pick<Verification, 'ok' | 'code' | 'reason'> & { change: CredentialChange | null }> {
    let credentials: Record<string, FieldValue>;
    try {
      credentials = await this.forAdapter(caller, row, await tokens());
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { ok: false, code: error.code, reason: error.detail, change: null };
    }
    let verdict: AdapterVerdict;
    try {
      verdict = await this.gateway.post<AdapterVerdict>('/internal/adapter-calls/verify', caller, {
        organization_id: row.organization_id,
        adapter_slug: adapterSlug,
        credentials,
        credential_type: row.type,
        credential_id: row.id,
      });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.logger.warn({ event: 'credential.not_verified', credential_id: row.id, code: error.code });
      const reason = notVerified(error.detail);
      return { ok: false, code: error.code, reason, change: { reason } };
    }
    const { organizationId, projectId, subject: actor } = caller;
    await this.audit.append([
      {
        organizationId,
        projectId,
        credentialId: row.id,
        actor,
        action: 'verified',
        fields: row.fields.map(({ field }) => field),
        reason: verdict.ok ? 'ok' : (verdict.code ?? 'refused'),
      },
    ]);
    const change = changeOf(row, adapterSlug, verdict, credentials);
    const code = verdict.ok ? null : (verdict.code ?? refusedCode);
    return { ok: verdict.ok, code, reason: change.reason ?? null, change };
  }

  /** As the App gets it: with the names of its binding, if there is one, and without fields that may not leave. */
  private async forAdapter(
    scope: ProjectScope,
    row: Credential,
    tokens: ReadonlyMap<string, Secret> | null,
  ): Promise<Record<string, FieldValue>> {
    const binding = (await this.bindings.ofCredential(scope, row.id)).find((each) => each.consumer_kind === 'app');
    const mayLeave = (field: string): boolean => (binding ? leaves(row, binding, field) : !isProtected(row, field));
    const names = row.fields.map(({ field }) => field).filter(mayLeave);
    const opened = await this.opener.open(row, names);
    for (const [field, token] of tokens ?? []) if (mayLeave(field)) opened.set(field, token);
    return Object.fromEntries(
      namedLast(opened).map(([field, secret]) => [binding ? nameOf(binding, field) : field, fromSecret(secret)]),
    );
  }
}
