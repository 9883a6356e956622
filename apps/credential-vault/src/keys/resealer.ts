import { Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { CredentialOpener } from '../credential-store/credential-opener.js';
import { CredentialRepository } from '../credential-store/credential.repository.js';
import { Sealer } from '../sealing/sealer.js';
import { RewrapRepository } from './rewrap.repository.js';

export interface ResealProgress {
  resealed: number;
  failed: string[];
  /** Where to continue; null at the end. */
  cursor: string | null;
}

/**
 * For suspected compromise: seals stored fields under new data keys, so that a leaked data key opens none of them any
 * more. A grant's tokens get a new data key with every refresh.
 */
@Injectable()
export class Resealer {
  constructor(
    private readonly repository: RewrapRepository,
    private readonly credentials: CredentialRepository,
    private readonly opener: CredentialOpener,
    private readonly sealer: Sealer,
  ) {}

  /** One batch of the credentials whose data key was created before a given time. */
  async run(before: Date, after: string, batch: number): Promise<ResealProgress> {
    const rows = await this.repository.credentialsWithDekBefore(before, after, batch);
    const failed: string[] = [];
    for (const { id, ...scope } of rows) {
      try {
        await this.credentials.update(scope, id, async (row) => {
          // The values stay the same, so the generation does too: a new generation would tell grants that their client
          // changed.
          const { organization_id: organizationId, type, generation } = row;
          const place = { organizationId, credentialId: id, type, generation };
          const sealed = await this.sealer.seal(place, await this.opener.open(row));
          return { columns: {}, write: { generation, sealed, written: [], begun: null } };
        });
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== 'credential_undecryptable') throw error;
        failed.push(id);
      }
    }
    const cursor = rows.length < batch ? null : (rows.at(-1)?.id ?? null);
    return { resealed: rows.length - failed.length, failed, cursor };
  }
}
