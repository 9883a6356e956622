import { notFound, type Principal, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { FrequentUses } from '../audit/frequent-uses.js';
import { leaves, namedLast, nameOf, signs } from '../bindings/binding-rules.js';
import { FreshTokenService } from '../grants/fresh-token.service.js';
import { CredentialOpener, type StoredCredential } from '../credential-store/credential-opener.js';
import { hasStoredTokens, isProtected, signingName, tokenFields } from '../credential-store/field-rules.js';
import { type FieldValue, fromSecret, rotatingValues } from '../credential-store/field-value.js';
import type { ResolveCredential } from './resolve.dto.js';
import { isAnswerField } from '../oauth-providers/answer-fields.js';
import { RefusedTokens } from './refused-tokens.js';
import { type Found, type FoundBinding, ResolveRepository } from './resolve.repository.js';

/** A credential with its values, for services only. */
export interface ResolvedCredential {
  credential_id: string;
  generation: number;
  type: string;
  /** By the fields' own names. */
  fields: Record<string, FieldValue>;
  /** If a consumer was named: by the names in its binding (spec 2.4). */
  credentials?: Record<string, FieldValue>;
  /** Of the tokens of an oauth2 credential; `refused_version` names it when the provider refuses them. */
  token_version?: number;
}

/** A request, with what the policy grants its caller. */
export interface AllowedQuestion extends ResolveCredential {
  /** True: only the fields that the binding names for signature checks. */
  signingOnly: boolean;
}

export interface UnresolvedCredential {
  credential_id: string;
  error: { code: string; detail: string };
}

@Injectable()
export class ResolveService {
  constructor(
    private readonly stored: ResolveRepository,
    private readonly opener: CredentialOpener,
    private readonly uses: FrequentUses,
    private readonly tokens: FreshTokenService,
    private readonly refusedTokens: RefusedTokens,
  ) {}

  /**
   * @param uncached reads after the call what is stored: for a caller that has heard of a change, which this process
   *   may not have heard of yet
   * @throws Problem 404 `credential_not_found`, 403 `not_bound` or `approval_needed`, 422 `unknown_fields`,
   *   409 `credential_undecryptable`, `not_connected`, `needs_reconnect`, 503 `refresh_pending`
   */
  async resolve(caller: Principal, asked: AllowedQuestion, uncached: boolean): Promise<ResolvedCredential> {
    const [found] = await this.stored.find(caller, [asked], uncached);
    if (!found) throw notFound('credential', asked.credential_id);
    return this.give(caller, found, asked, uncached);
  }

  /** In the order of the requests. One that cannot be resolved has its error in its place. */
  async resolveMany(
    caller: Principal,
    asked: AllowedQuestion[],
  ): Promise<(ResolvedCredential | UnresolvedCredential)[]> {
    const found = await this.stored.find(caller, asked, false);
    return Promise.all(
      asked.map(async (one, at) => {
        try {
          const stored = found[at];
          if (!stored) throw notFound('credential', one.credential_id);
          return await this.give(caller, stored, one, false);
        } catch (error) {
          if (!(error instanceof Problem)) throw error;
          return { credential_id: one.credential_id, error: { code: error.code, detail: error.detail } };
        }
      }),
    );
  }

  private async give(
    caller: Principal,
    { credential: row, binding }: Found,
    { fields: only, consumer, min_valid_seconds: leastSeconds, refused_version: refused, signingOnly }: AllowedQuestion,
    uncached: boolean,
  ): Promise<ResolvedCredential> {
    if (consumer && !binding) {
      const who = `The ${consumer.kind} ${consumer.id}`;
      throw new Problem(403, 'not_bound', `${who} is not bound to credential ${row.id}: bind it first.`);
    }
    const wantsTokens =
      !signingOnly &&
      row.type === 'oauth2' &&
      (!only || only.some((name) => tokenFields.includes(name) || isAnswerField(name)));
    const tokens = wantsTokens
      ? await this.tokens.of(caller, row.id, { leastSeconds, uncached, refused, storedTokens: hasStoredTokens(row) })
      : null;
    if (tokens && tokens.version === refused) await this.refusedTokens.settle(caller, row.id, tokens);
    const names = namesFor(row, binding, only, tokens ? [...tokens.values.keys()] : [], signingOnly);
    const opened = await this.opener.open(row, names);
    for (const [name, token] of tokens?.values ?? []) if (names.includes(name)) opened.set(name, token);
    const inOrder = namedLast(opened);
    const values = inOrder.map(([name, secret]): [string, FieldValue] => {
      const both = signingOnly || checksSignatures(name, binding) ? rotatingValues(secret) : null;
      return [name, both ?? fromSecret(secret)];
    });
    const { organizationId, projectId, subject: actor } = caller;
    await this.uses.add({
      organizationId,
      projectId,
      credentialId: row.id,
      actor,
      action: 'resolved',
      fields: names,
      consumer: consumer ? `${consumer.kind}:${consumer.id}` : null,
    });
    return {
      credential_id: row.id,
      generation: row.generation,
      type: row.type,
      fields: Object.fromEntries(values),
      ...(binding
        ? { credentials: Object.fromEntries(values.map(([name, value]) => [nameOf(binding, name), value])) }
        : {}),
      ...(tokens ? { token_version: tokens.version } : {}),
    };
  }
}

/** Whether both values of a field in rotation are of use: whoever only signs in with it gets the new one. */
function checksSignatures(field: string, binding: FoundBinding | null): boolean {
  const names = binding ? [field, nameOf(binding, field)] : [field];
  return names.some((name) => signingName.test(name) || binding?.key_check?.fields.includes(name) === true);
}

/** The fields to return: the requested ones, or all that may leave. */
function namesFor(
  row: StoredCredential,
  binding: FoundBinding | null,
  only: string[] | undefined,
  tokens: string[],
  signingOnly: boolean,
): string[] {
  const all = [...new Set([...row.fields.map(({ field }) => field), ...tokens])];
  const mayLeave = (field: string): boolean =>
    binding
      ? leaves(row, binding, field) && (!signingOnly || signs(row, binding, field))
      : !signingOnly && !isProtected(row, field);
  if (!only) return all.filter(mayLeave);
  const unknown = only.filter((name) => !all.includes(name));
  if (unknown.length > 0) {
    throw new Problem(422, 'unknown_fields', `Credential ${row.id} has no field ${unknown.join(', ')}.`);
  }
  const kept = only.filter((name) => !mayLeave(name));
  if (kept.length > 0) {
    throw new Problem(
      403,
      'approval_needed',
      `${kept.join(', ')} of credential ${row.id} may not be read through this binding.`,
    );
  }
  return only;
}
