import type { CredentialBinding } from '#libs/contracts';
import { Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { VAULT } from '../../settings.js';
import type { GivenToken } from '../../entities/turn.entity.js';
import { failure, isFailure, type ToolFailure, type TurnScope } from './tool.js';

/** A credential's values by field, in memory for one call. They never reach the model, a step or a log. */
export type CredentialFields = Record<string, string>;

/** A credential as a tool may use it: its values and where they may go. */
export interface BoundCredential {
  /** The name that its Skill gave it. */
  as: string;
  /** The vault's credential type. */
  type: string;
  /** For a field with several values, the newest. */
  fields: CredentialFields;
  /** Hosts that the Skill allows; empty: the credential's own record decides. */
  hosts: string[];
  /** Hosts that the credential's own record allows; empty: it names none. */
  ownHosts: string[];
  /** From the Skill, else from the credential's record; null: neither names one. */
  header: string | null;
  scheme: string | null;
  /** Present for an access token of a grant. */
  token?: GivenToken;
}

/** The credentials that a tool may use, by the names that its Skill gave them. */
export interface BoundCredentials {
  readonly bindings: readonly CredentialBinding[];
  /** @param name null: the one that fits the tool */
  read(turn: TurnOwner, name: string | null, wish?: CredentialWish): Promise<BoundCredential | ToolFailure>;
  /** Another access token than one that was refused; null: there is none. */
  replaceRefused(turn: TurnOwner, refused: BoundCredential): Promise<BoundCredential | ToolFailure | null>;
}

type TurnOwner = Pick<TurnScope, 'organizationId' | 'projectId'>;

interface Resolved {
  type?: string;
  credentials?: Record<string, unknown>;
  fields: Record<string, unknown>;
  token_version?: number;
}

/** Reads credentials from the vault at the moment of the call, on behalf of the Skill that each is bound to. */
@Injectable()
export class CredentialReader {
  constructor(@Inject(VAULT) private readonly vault: ServiceClient) {}

  /** @param withheld why this turn may use none of them, or null */
  of(bindings: CredentialBinding[], withheld: string | null = null): BoundCredentials {
    return {
      bindings,
      read: async (turn, name, wish = {}) => {
        if (withheld !== null) return failure('credential_not_for_sender', withheld);
        const chosen = await choose(bindings, name, wish, (one) => this.typeOf(turn, one));
        return isFailure(chosen) ? chosen : this.read(turn, chosen);
      },
      replaceRefused: async (turn, { token }) => {
        const binding = bindings.find(({ as, credential_id: id }) => as === token?.as && id === token.credential_id);
        if (!token || !binding) return null;
        const other = await this.read(turn, binding, { refused_version: token.version });
        return isFailure(other) || other.token?.version !== token.version ? other : null;
      },
    };
  }

  /** The value of another access token than one that was refused; null: there is none. */
  async otherToken(turn: TurnOwner, { version, ...binding }: GivenToken): Promise<string | ToolFailure | null> {
    const resolved = await this.resolve(turn, binding, { refused_version: version });
    if (isFailure(resolved)) return resolved;
    const { access_token: value } = resolved.fields;
    return typeof value === 'string' && resolved.token_version !== version ? value : null;
  }

  private async read(
    turn: TurnOwner,
    binding: CredentialBinding,
    refused: { refused_version?: number } = {},
  ): Promise<BoundCredential | ToolFailure> {
    const resolved = await this.resolve(turn, binding, refused);
    if (isFailure(resolved)) return resolved;
    const { as, credential_id, skill_id } = binding;
    const { token_version: version } = resolved;
    const { access_token: accessToken } = resolved.fields;
    const values = Object.entries(resolved.credentials ?? resolved.fields);
    const fields = Object.fromEntries(
      values.flatMap(([field, value]) => {
        const newest: unknown = Array.isArray(value) ? value[0] : value;
        return typeof newest === 'string' ? [[field, newest]] : [];
      }),
    );
    const own = values.find(([field]) => field === 'hosts')?.[1];
    return {
      as,
      type: resolved.type ?? 'text',
      fields,
      hosts: binding.hosts ?? [],
      ownHosts: hostsOf(own),
      header: binding.header ?? fields['header'] ?? null,
      scheme: binding.scheme ?? fields['scheme'] ?? null,
      ...(version === undefined || typeof accessToken !== 'string'
        ? {}
        : { token: { as, credential_id, skill_id, version, sha256: digestOf(accessToken) } }),
    };
  }

  /** Reads the type only; no value leaves the vault. */
  private async typeOf(turn: TurnOwner, binding: CredentialBinding): Promise<string | ToolFailure> {
    const resolved = await this.resolve(turn, binding, { fields: [] });
    return isFailure(resolved) ? resolved : (resolved.type ?? 'text');
  }

  private async resolve(
    turn: TurnOwner,
    binding: Pick<CredentialBinding, 'as' | 'credential_id' | 'skill_id'>,
    more: { fields?: string[]; refused_version?: number },
  ): Promise<Resolved | ToolFailure> {
    try {
      return await this.vault.post<Resolved>('/internal/credentials/resolve', turn, {
        credential_id: binding.credential_id,
        consumer: { kind: 'skill', id: binding.skill_id },
        ...more,
      });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return failure(
        'credential_unavailable',
        `The credential ${binding.as} cannot be used now (${error.code}): ${error.detail.slice(0, 300)}`,
      );
    }
  }
}

export const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** Hosts in a credential's record: separated by comma or space, or a list. */
function hostsOf(value: unknown): string[] {
  const texts: unknown[] = Array.isArray(value) ? value : [value];
  return texts
    .flatMap((text) => (typeof text === 'string' ? text.toLowerCase().split(/[\s,]+/) : []))
    .filter((host) => host !== '');
}

/** What a tool looks for when a call names no credential. */
export interface CredentialWish {
  /** The name that Skills usually give it. */
  as?: string;
  /** Credential types that the tool can use; absent: all. */
  types?: readonly string[];
}

/**
 * Chooses the credential of a call: the named one; else the only one, the one with the tool's usual name, or the only
 * one of a type that the tool can use.
 * @param typeOf asks the vault; called only where names do not decide
 */
export async function choose(
  bindings: CredentialBinding[],
  name: string | null,
  { as, types }: CredentialWish,
  typeOf: (binding: CredentialBinding) => Promise<string | ToolFailure>,
): Promise<CredentialBinding | ToolFailure> {
  if (bindings.length === 0) return failure('no_credential', 'This tool has no credential: a Skill has to bind one.');
  const names = bindings.map((binding) => binding.as).join(', ');
  if (name !== null) {
    return (
      bindings.find((binding) => binding.as === name) ??
      failure('no_credential', `There is no credential ${name.slice(0, 64)} here; there are: ${names}.`)
    );
  }
  const [only] = bindings;
  if (only && bindings.length === 1) return only;
  const usual = bindings.filter((binding) => binding.as === as);
  if (usual[0] && usual.length === 1) return usual[0];
  if (!types) return failure('no_credential', `Name the credential: ${names}.`);
  const kinds = await Promise.all(bindings.map(typeOf));
  const fitting = bindings.filter((_, at) => types.some((type) => type === kinds[at]));
  if (fitting[0] && fitting.length === 1) return fitting[0];
  const unread = kinds.find(isFailure);
  if (unread && fitting.length === 0) return unread;
  const described = bindings.map((binding, at) => {
    const kind = kinds[at];
    return `${binding.as} (${typeof kind === 'string' ? kind : 'not readable now'})`;
  });
  return fitting.length === 0
    ? failure(
        'no_credential',
        `The tool needs a credential of the type ${types.join(' or ')}: ${described.join(', ')}.`,
      )
    : failure('no_credential', `Several credentials fit, so name one: ${described.join(', ')}.`);
}
