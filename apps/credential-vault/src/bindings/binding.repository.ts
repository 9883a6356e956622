import { columnsOf, type ProjectScope } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource, In, Like, Not, QueryFailedError } from 'typeorm';
import type { ConsumerKind } from '../credential-store/credential-binding.entity.js';
import { CredentialBinding } from '../credential-store/credential-binding.entity.js';

/** The credential was deleted meanwhile. */
export class CredentialGone extends Error {
  override readonly name = 'CredentialGone';
}

/** The consumer is already bound to the credential. */
export class AlreadyBound extends Error {
  override readonly name = 'AlreadyBound';
}

type BindingRow = Omit<CredentialBinding, 'credential' | 'created_at' | 'updated_at'>;

/** Selects among a consumer's credentials; all of them when neither is given. */
export interface Which {
  only?: string;
  except?: string[];
}

@Injectable()
export class BindingRepository {
  constructor(private readonly db: DataSource) {}

  /** @throws AlreadyBound, CredentialGone */
  async insert(row: BindingRow): Promise<void> {
    try {
      await this.db.manager.insert(CredentialBinding, row);
    } catch (error) {
      const constraint =
        error instanceof QueryFailedError ? (error.driverError as { constraint?: string }).constraint : '';
      if (constraint === 'credential_binding_consumer_key') throw new AlreadyBound();
      if (constraint === 'credential_binding_credential_fkey') throw new CredentialGone();
      throw error;
    }
  }

  async update(
    id: string,
    change: Partial<Pick<BindingRow, 'fields' | 'maps_to' | 'approved' | 'signing' | 'key_check'>>,
  ): Promise<void> {
    await this.db.manager.update(CredentialBinding, { id }, change);
  }

  async ofCredential(scope: ProjectScope, credentialId: string): Promise<CredentialBinding[]> {
    return this.db.manager.find(CredentialBinding, {
      where: { ...columnsOf(scope), credential_id: credentialId },
      order: { id: 'ASC' },
      take: 1_000,
    });
  }

  async find(scope: ProjectScope, credentialId: string, id: string): Promise<CredentialBinding | null> {
    return this.db.manager.findOneBy(CredentialBinding, { ...columnsOf(scope), credential_id: credentialId, id });
  }

  async ofConsumer(
    scope: ProjectScope,
    credentialId: string,
    kind: ConsumerKind,
    consumerId: string,
  ): Promise<CredentialBinding | null> {
    return this.db.manager.findOneBy(CredentialBinding, {
      ...columnsOf(scope),
      credential_id: credentialId,
      consumer_kind: kind,
      consumer_id: consumerId,
    });
  }

  async delete(scope: ProjectScope, credentialId: string, id: string): Promise<boolean> {
    const key = { ...columnsOf(scope), credential_id: credentialId, id };
    return ((await this.db.manager.delete(CredentialBinding, key)).affected ?? 0) > 0;
  }

  /**
   * Removes the bindings that services made for a consumer. Bindings made by people stay.
   * @returns the credentials that it was bound to
   */
  async unbindConsumer(
    scope: ProjectScope,
    kind: ConsumerKind,
    consumerId: string,
    { only, except = [] }: Which,
  ): Promise<string[]> {
    const made = await this.db.manager.findBy(CredentialBinding, {
      ...columnsOf(scope),
      consumer_kind: kind,
      consumer_id: consumerId,
      created_by: Like('service:%'),
      credential_id: only ?? Not(In(except)),
    });
    if (made.length > 0) await this.db.manager.delete(CredentialBinding, { id: In(made.map(({ id }) => id)) });
    return made.map((binding) => binding.credential_id);
  }
}
