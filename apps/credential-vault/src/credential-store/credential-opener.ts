import { Metrics, Problem } from '#libs/service-kit';
import { Injectable, Logger } from '@nestjs/common';
import { Counter } from 'prom-client';
import { DoesNotOpen } from '../sealing/aead.js';
import { Sealer } from '../sealing/sealer.js';
import type { Secret } from '../sealing/secret.js';
import type { Credential, CredentialField } from './credential.entity.js';
import { CredentialRepository } from './credential.repository.js';

/** The part of a credential that is needed to open it. */
export type StoredCredential = Pick<
  Credential,
  'id' | 'organization_id' | 'type' | 'kid' | 'wrapped_dek' | 'generation' | 'status'
> & { fields: Pick<CredentialField, 'field' | 'sealed'>[] };

const recovered = { status: 'active', reason: null } as const;

/**
 * Opens stored credentials. One that does not open becomes `undecryptable`, with an alarm, and never counts as absent.
 */
@Injectable()
export class CredentialOpener {
  private readonly logger = new Logger('credentials');
  private readonly undecryptable: Counter;

  constructor(
    private readonly sealer: Sealer,
    private readonly credentials: CredentialRepository,
    metrics: Metrics,
  ) {
    this.undecryptable = new Counter({
      name: 'gatehouse_vault_undecryptable_total',
      help: 'Reads of a credential whose sealed values could not be opened',
      registers: [metrics.registry],
    });
  }

  /**
   * @param only the fields to open; null: all of them
   * @throws Undecryptable
   */
  async open(row: StoredCredential, only: readonly string[] | null = null): Promise<Map<string, Secret>> {
    try {
      const opened = await this.openLocked(row, only);
      if (row.status === 'undecryptable' && opened.size === row.fields.length)
        await this.credentials.note(row.id, row.generation, recovered);
      return opened;
    } catch (error) {
      if (error instanceof Undecryptable) await this.noteUndecryptable(row);
      throw error;
    }
  }

  /**
   * Opens a row that the caller has locked: its status changes by the caller's own transaction, or after that by
   * `noteUndecryptable`. A second connection would wait for the first for ever.
   * @throws Undecryptable
   */
  async openLocked(row: StoredCredential, only: readonly string[] | null = null): Promise<Map<string, Secret>> {
    const place = {
      organizationId: row.organization_id,
      credentialId: row.id,
      type: row.type,
      generation: row.generation,
    };
    const fields = new Map<string, Buffer>();
    for (const { field, sealed } of row.fields) if (!only || only.includes(field)) fields.set(field, sealed);
    try {
      return await this.sealer.open(place, { kid: row.kid, wrappedDek: row.wrapped_dek, fields });
    } catch (error) {
      if (!(error instanceof DoesNotOpen)) throw error;
      this.undecryptable.inc();
      this.logger.error({
        event: 'credential.undecryptable',
        credential_id: row.id,
        kid: row.kid,
        generation: row.generation,
      });
      throw new Undecryptable(row.id);
    }
  }

  async noteUndecryptable({ id, generation, status }: StoredCredential): Promise<void> {
    if (status === 'undecryptable') return;
    const reason = 'its stored values cannot be opened';
    await this.credentials.note(id, generation, { status: 'undecryptable', reason });
  }
}

export class Undecryptable extends Problem {
  constructor(id: string) {
    super(
      409,
      'credential_undecryptable',
      `The stored values of credential ${id} cannot be opened: restore the database or the key, or replace its fields.`,
    );
  }
}
