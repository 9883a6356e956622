import type { CredentialBinding } from '#libs/contracts';
import { Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { VAULT } from '../services.js';
import { failure, type ToolFailure, type TurnScope } from './tool.js';

/** Values of a credential by field, in memory for one call: they never reach the model, a step or a log. */
export type CredentialFields = Record<string, string>;

/** The credentials that a tool may use, by the names its Skill gave them. */
export interface BoundCredentials {
  readonly names: string[];
  /** @param name null for the only one */
  fields(turn: TurnScope, name: string | null): Promise<CredentialFields | ToolFailure>;
}

/** Reads credentials from the vault at the moment of the call, as the Skill that they are bound to. */
@Injectable()
export class CredentialReader {
  constructor(@Inject(VAULT) private readonly vault: ServiceClient) {}

  /**
   * @param skillId null: the tool belongs to no Skill, and has none
   * @param withheld why this turn may use none of them, or null
   */
  of(skillId: string | null, bindings: CredentialBinding[], withheld: string | null = null): BoundCredentials {
    if (withheld !== null && skillId !== null && bindings.length > 0) {
      return { names: [], fields: () => Promise.resolve(failure('not_allowed', withheld)) };
    }
    const bound = skillId === null ? [] : bindings;
    return {
      names: bound.map((binding) => binding.as),
      fields: async (turn, name) => {
        const binding =
          name === null ? (bound.length === 1 ? bound[0] : undefined) : bound.find(({ as }) => as === name);
        if (!binding || skillId === null) return this.missing(bound, name);
        return this.read(turn, skillId, binding.credential_id);
      },
    };
  }

  private missing(bound: CredentialBinding[], name: string | null): ToolFailure {
    if (bound.length === 0) return failure('no_credential', 'This tool has no credential: a Skill has to bind one.');
    const names = bound.map((binding) => binding.as).join(', ');
    return failure(
      'no_credential',
      `${name === null ? 'Name the credential' : 'There is no such credential'}: ${names}.`,
    );
  }

  private async read(turn: TurnScope, skillId: string, credentialId: string): Promise<CredentialFields | ToolFailure> {
    try {
      const { credentials, fields } = await this.vault.post<{
        credentials?: Record<string, unknown>;
        fields: Record<string, unknown>;
      }>('/internal/credentials/resolve', turn, {
        credential_id: credentialId,
        consumer: { kind: 'skill', id: skillId },
      });
      const texts = Object.entries(credentials ?? fields).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      );
      return Object.fromEntries(texts);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return failure(
        'credential_unavailable',
        `The credential cannot be used (${error.code}): ${error.detail}`.slice(0, 500),
      );
    }
  }
}
