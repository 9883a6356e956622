import type { CredentialType, ProjectScope } from '#libs/contracts';
import { Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { VAULT } from '../../env.js';

/** What the vault says about a credential without opening it. */
export interface CredentialDescription {
  credential_id: string;
  type: CredentialType;
  status: string;
  /** Names of the fields that have a value. */
  fields: string[];
}

const perCall = 500;

/** Describes credentials by id: enough to tell whether they fit, and to show what an App lacks. */
@Injectable()
export class CredentialDescriptions {
  private readonly logger = new Logger('credential-descriptions');

  constructor(@Inject(VAULT) private readonly vault: ServiceClient) {}

  /** @returns no entry for ids that no credential of the project has. @throws Problem of the vault */
  async of(scope: ProjectScope, ids: string[]): Promise<Map<string, CredentialDescription>> {
    const found = new Map<string, CredentialDescription>();
    const wanted = [...new Set(ids)];
    for (let at = 0; at < wanted.length; at += perCall) {
      const { data } = await this.vault.post<{ data: CredentialDescription[] }>(
        '/internal/credentials/describe',
        scope,
        { credential_ids: wanted.slice(at, at + perCall) },
      );
      for (const one of data) found.set(one.credential_id, one);
    }
    return found;
  }

  /** Like `of`, for display only: null while the vault does not answer. */
  async known(scope: ProjectScope, ids: string[]): Promise<Map<string, CredentialDescription> | null> {
    try {
      return await this.of(scope, ids);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.logger.warn({ event: 'credentials.not_described', code: error.code });
      return null;
    }
  }
}
