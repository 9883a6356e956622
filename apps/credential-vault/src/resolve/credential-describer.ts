import type { ProjectScope } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import type { Credential, CredentialStatus } from '../credential-store/credential.entity.js';
import { CredentialRepository } from '../credential-store/credential.repository.js';
import type { CredentialDescription } from './resolve.dto.js';

/** In these states, an oauth2 credential has an access token or fetches one on request. */
const connected: readonly CredentialStatus[] = ['active', 'invalid', 'refreshing', 'degraded'];

/** Lists credentials' fields for services that check whether a credential fits before they bind it. Opens nothing. */
@Injectable()
export class CredentialDescriber {
  constructor(private readonly credentials: CredentialRepository) {}

  /** @returns nothing for ids outside this project */
  async describe(scope: ProjectScope, ids: string[]): Promise<CredentialDescription[]> {
    const rows = await this.credentials.findAll(scope, ids);
    return rows.map((row) => ({ credential_id: row.id, type: row.type, status: row.status, fields: fieldsOf(row) }));
  }
}

function fieldsOf(row: Credential): string[] {
  const fields = row.fields.map(({ field }) => field);
  const hasToken = row.type === 'oauth2' && (row.grant === 'client_credentials' || connected.includes(row.status));
  return [...new Set([...fields, ...(hasToken ? ['access_token'] : [])])].sort();
}
