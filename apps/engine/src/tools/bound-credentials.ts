import type { CredentialBinding } from '#libs/contracts';
import { Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { VAULT } from '../services.js';
import { choose, type CredentialWish } from './credential-choice.js';
import { failure, isFailure, type ToolFailure, type TurnScope } from './tool.js';

/** Values of a credential by field, in memory for one call: they never reach the model, a step or a log. */
export type CredentialFields = Record<string, string>;

/** A credential as a tool may use it: its values, and where they may go. */
export interface BoundCredential {
  /** The name that its Skill gave it. */
  as: string;
  /** The vault's kind of record. */
  type: string;
  /** Of a field with several values: the newest. */
  fields: CredentialFields;
  /** Where the Skill lets it go; empty: where its own record says. */
  hosts: string[];
  /** Where its own record lets it go; empty: it says nothing. */
  ownHosts: string[];
  /** As the Skill says, else as its own record does; null: neither does. */
  header: string | null;
  scheme: string | null;
}

/** The credentials that a tool may use, by the names its Skill gave them. */
export interface BoundCredentials {
  readonly bindings: readonly CredentialBinding[];
  /** @param name null: the one that fits the tool */
  read(turn: TurnOwner, name: string | null, wish?: CredentialWish): Promise<BoundCredential | ToolFailure>;
}

type TurnOwner = Pick<TurnScope, 'organizationId' | 'projectId'>;

interface Resolved {
  type?: string;
  credentials?: Record<string, unknown>;
  fields: Record<string, unknown>;
}

/** Reads credentials from the vault at the moment of the call, each as the Skill that it is bound to. */
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
    };
  }

  private async read(turn: TurnOwner, binding: CredentialBinding): Promise<BoundCredential | ToolFailure> {
    const resolved = await this.resolve(turn, binding);
    if (isFailure(resolved)) return resolved;
    const values = Object.entries(resolved.credentials ?? resolved.fields);
    const fields = Object.fromEntries(
      values.flatMap(([field, value]) => {
        const newest: unknown = Array.isArray(value) ? value[0] : value;
        return typeof newest === 'string' ? [[field, newest]] : [];
      }),
    );
    const own = values.find(([field]) => field === 'hosts')?.[1];
    return {
      as: binding.as,
      type: resolved.type ?? 'text',
      fields,
      hosts: binding.hosts ?? [],
      ownHosts: hostsOf(own),
      header: binding.header ?? fields['header'] ?? null,
      scheme: binding.scheme ?? fields['scheme'] ?? null,
    };
  }

  /** Its kind alone: no value leaves the vault. */
  private async typeOf(turn: TurnOwner, binding: CredentialBinding): Promise<string | ToolFailure> {
    const resolved = await this.resolve(turn, binding, []);
    return isFailure(resolved) ? resolved : (resolved.type ?? 'text');
  }

  private async resolve(turn: TurnOwner, binding: CredentialBinding, only?: string[]): Promise<Resolved | ToolFailure> {
    try {
      return await this.vault.post<Resolved>('/internal/credentials/resolve', turn, {
        credential_id: binding.credential_id,
        consumer: { kind: 'skill', id: binding.skill_id },
        ...(only === undefined ? {} : { fields: only }),
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

/** Hosts as a record says them: by comma or space, or as a list. */
function hostsOf(value: unknown): string[] {
  const texts: unknown[] = Array.isArray(value) ? value : [value];
  return texts
    .flatMap((text) => (typeof text === 'string' ? text.toLowerCase().split(/[\s,]+/) : []))
    .filter((host) => host !== '');
}
