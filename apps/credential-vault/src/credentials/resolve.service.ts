import { notFound, Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { CredentialOpener } from './credential-opener.js';
import type { ResolveCredential } from './credential.dto.js';
import type { Credential } from './credential.entity.js';
import { CredentialRepository, type CredentialScope } from './credential.repository.js';

/** A credential with its values: the one answer of the vault that holds secrets, for services alone. */
export interface ResolvedCredential {
  credential_id: string;
  generation: number;
  type: string;
  fields: Record<string, string>;
}

export interface UnresolvedCredential {
  credential_id: string;
  error: { code: string; detail: string };
}

@Injectable()
export class ResolveService {
  constructor(
    @Inject(CredentialRepository) private readonly credentials: CredentialRepository,
    @Inject(CredentialOpener) private readonly opener: CredentialOpener,
  ) {}

  /** @throws Problem 404 `credential_not_found`, 422 `unknown_fields`, 409 `credential_undecryptable` */
  async resolve(scope: CredentialScope, { credential_id: id, fields }: ResolveCredential): Promise<ResolvedCredential> {
    const row = await this.credentials.find(scope, id);
    if (!row) throw notFound('credential', id);
    return this.reveal(row, fields);
  }

  /** In the order asked for; one that cannot be resolved says so in its place. */
  async resolveMany(
    scope: CredentialScope,
    asked: ResolveCredential[],
  ): Promise<(ResolvedCredential | UnresolvedCredential)[]> {
    const rows = await this.credentials.findMany(scope, [...new Set(asked.map((one) => one.credential_id))]);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return Promise.all(
      asked.map(async ({ credential_id: id, fields }) => {
        try {
          const row = byId.get(id);
          if (!row) throw notFound('credential', id);
          return await this.reveal(row, fields);
        } catch (error) {
          if (!(error instanceof Problem)) throw error;
          return { credential_id: id, error: { code: error.code, detail: error.detail } };
        }
      }),
    );
  }

  private async reveal(row: Credential, only: string[] | undefined): Promise<ResolvedCredential> {
    const unknown = (only ?? []).filter((name) => !row.fields.some(({ field }) => field === name));
    if (unknown.length > 0) {
      throw new Problem(422, 'unknown_fields', `Credential ${row.id} has no field ${unknown.join(', ')}.`);
    }
    const opened = await this.opener.open(row, only ?? null);
    const fields = Object.fromEntries([...opened].map(([name, secret]) => [name, secret.reveal()]));
    return { credential_id: row.id, generation: row.generation, type: row.type, fields };
  }
}
