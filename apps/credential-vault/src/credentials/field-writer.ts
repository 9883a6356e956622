import { Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { type SealedFields, Sealer } from '../sealing/sealer.js';
import type { Secret } from '../sealing/secret.js';
import { checkFields, type FieldNote, readFields, wrongFields } from './credential-fields.js';
import { CredentialOpener } from '../credential-store/credential-opener.js';
import type { UpdateCredential } from './credential.dto.js';
import type { Credential } from '../credential-store/credential.entity.js';
import type { CredentialChange } from '../credential-store/credential.repository.js';
import { fromSecret, toSecret } from '../credential-store/field-value.js';

/** The credential's fields after the change. */
export type FieldChange = (row: Credential) => Promise<Map<string, Secret>>;

interface FieldWrite {
  columns: CredentialChange;
  write: { generation: number; sealed: SealedFields } | null;
}

/** Builds the next generation of a credential's fields. */
@Injectable()
export class FieldWriter {
  constructor(
    private readonly opener: CredentialOpener,
    private readonly sealer: Sealer,
  ) {}

  /** Seals all fields anew to the next generation, so that no older value can be put back in their place. */
  async write(
    row: Credential,
    asked: Omit<UpdateCredential, 'fields'>,
    change: FieldChange | null,
  ): Promise<FieldWrite> {
    if (asked.declared_fields && row.type !== 'text') {
      throw wrongFields([{ field: 'declared_fields', message: 'is only for the type text' }]);
    }
    const columns: CredentialChange = { ...asked };
    if (!change) return { columns, write: null };
    const fields = await change(row);
    const declared = asked.declared_fields === undefined ? row.declared_fields : asked.declared_fields;
    checkFields({ type: row.type, grant: row.grant, declared_fields: declared }, fields);
    const generation = row.generation + 1;
    const place = { organizationId: row.organization_id, credentialId: row.id, type: row.type, generation };
    const write = { generation, sealed: await this.sealer.seal(place, fields) };
    if (row.status !== 'invalid' && row.status !== 'undecryptable') return { columns, write };
    const status = row.type === 'oauth2' && !fields.has('access_token') ? 'pending' : 'active';
    return { columns: { ...columns, status, reason: null }, write };
  }

  /** Merges fields into the existing ones; null removes a field. */
  merge(given: Record<string, unknown>, notes: FieldNote[]): FieldChange {
    return async (row) => {
      const entries = Object.entries(given);
      const fields = await this.opener.open(row);
      for (const [name, value] of entries) if (value === null) fields.delete(name);
      const values = Object.fromEntries(entries.filter(([, value]) => value !== null));
      for (const [name, secret] of readFields(row.type, values, notes)) {
        fields.set(name, secret);
      }
      return fields;
    };
  }

  /** Puts the value first in a list and keeps the previous first value as the second. A single value is replaced. */
  putFirst(field: string, value: string, notes: FieldNote[]): FieldChange {
    return async (row) => {
      const fields = await this.opener.open(row);
      const before = valueOf(row, fields, field);
      const [read] = readFields(row.type, { [field]: value }, notes).values();
      if (!read) return fields;
      // The value before is not checked again: a weak one must not keep its replacement out.
      return fields.set(field, Array.isArray(before) ? toSecret([read.reveal(), ...before.slice(0, 1)]) : read);
    };
  }

  keepFirst(field: string): FieldChange {
    return async (row) => {
      const fields = await this.opener.open(row);
      const before = valueOf(row, fields, field);
      if (!Array.isArray(before)) {
        throw new Problem(
          409,
          'not_a_list',
          `The field ${field} of credential ${row.id} has only one value: there is no rotation to finish.`,
        );
      }
      return fields.set(field, toSecret(before.slice(0, 1)));
    };
  }
}

function valueOf(row: Credential, fields: Map<string, Secret>, field: string): string | string[] {
  const secret = fields.get(field);
  if (!secret) throw new Problem(404, 'field_not_found', `Credential ${row.id} has no field of this name.`);
  return fromSecret(secret);
}
