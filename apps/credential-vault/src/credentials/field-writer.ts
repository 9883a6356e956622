import { Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { CredentialBinding } from '../credential-store/credential-binding.entity.js';
import { keyProblems } from '../key-checks/key-problems.js';
import { Sealer } from '../sealing/sealer.js';
import type { Secret } from '../sealing/secret.js';
import { checkFields, type FieldNote, readFields, wrongFields } from './credential-fields.js';
import { CredentialOpener } from '../credential-store/credential-opener.js';
import { SETTINGS, type VaultSettings } from '../settings.js';
import type { UpdateCredential } from './credential.dto.js';
import type { Credential } from '../credential-store/credential.entity.js';
import type { CredentialChange, CredentialWrite, FieldsWrite } from '../credential-store/credential.repository.js';
import { signingName } from '../credential-store/field-rules.js';
import { fromSecret, rotatingValues, toRotating, toSecret } from '../credential-store/field-value.js';

/** The credential's fields after a change. */
export interface ChangedFields {
  fields: Map<string, Secret>;
  /** Those that got a value; null: all. */
  written: string[] | null;
  /** The values to check, if the fields also hold one that was stored before. */
  given?: Map<string, Secret>;
  begun?: FieldsWrite['begun'];
}

/** Null: nothing is to be written. */
export type FieldChange = (row: Credential, bindings: CredentialBinding[]) => Promise<ChangedFields | null>;

/** Builds the next generation of a credential's fields. */
@Injectable()
export class FieldWriter {
  constructor(
    private readonly opener: CredentialOpener,
    private readonly sealer: Sealer,
    @Inject(SETTINGS) private readonly settings: Pick<VaultSettings, 'ROTATION_OVERLAP_SECONDS'>,
  ) {}

  /**
   * Seals all fields anew to the next generation, so that no older value can be put back in their place.
   * @throws Problem 422 `invalid_fields`
   */
  async write(
    row: Credential,
    asked: Omit<UpdateCredential, 'fields'>,
    change: FieldChange | null,
    bindings: () => Promise<CredentialBinding[]>,
  ): Promise<CredentialWrite> {
    if (asked.declared_fields && row.type !== 'text') {
      throw wrongFields([{ field: 'declared_fields', message: 'is only for the type text' }]);
    }
    const columns: CredentialChange = { ...asked };
    const bound = change ? await bindings() : [];
    const changed = await change?.(row, bound);
    if (!changed) return { columns, write: null };
    const { fields, written, given = fields, begun = null } = changed;
    const declared = asked.declared_fields === undefined ? row.declared_fields : asked.declared_fields;
    checkFields({ type: row.type, grant: row.grant, declared_fields: declared }, fields);
    refuseWeakKeys(bound, given, written);
    const generation = row.generation + 1;
    const place = { organizationId: row.organization_id, credentialId: row.id, type: row.type, generation };
    const write = { generation, sealed: await this.sealer.seal(place, fields), written, begun };
    if (row.status !== 'invalid' && row.status !== 'undecryptable') return { columns, write };
    const status = row.type === 'oauth2' && !fields.has('access_token') ? 'pending' : 'active';
    return { columns: { ...columns, status, reason: null }, write };
  }

  /** Merges fields into the existing ones; null removes a field. */
  merge(given: Record<string, unknown>, notes: FieldNote[]): FieldChange {
    return async (row) => {
      const entries = Object.entries(given);
      const fields = await this.opener.openLocked(row);
      for (const [name, value] of entries) if (value === null) fields.delete(name);
      const values = Object.fromEntries(entries.filter(([, value]) => value !== null));
      for (const [name, secret] of readFields(row.type, values, notes)) fields.set(name, secret);
      return { fields, written: Object.keys(given) };
    };
  }

  /** All fields anew. The old ones need not open for this. */
  replace(given: Record<string, unknown>, notes: FieldNote[]): FieldChange {
    return async ({ type }) => ({ fields: readFields(type, given, notes), written: null });
  }

  /**
   * Puts a new value in the place of another, which stays valid for a while: in a list, in a field that checks
   * signatures, and wherever an overlap is asked for.
   * @param overlapSeconds 0: the value before ends at once; null: as the settings say
   */
  rotate(field: string, value: string, overlapSeconds: number | null, notes: FieldNote[]): FieldChange {
    return async (row, bindings) => {
      const fields = await this.opener.openLocked(row);
      const before = valueOf(row, fields, field);
      const [read] = readFields(row.type, { [field]: value }, notes).values();
      if (!read) return null;
      const given = new Map(fields).set(field, read);
      const isList = Array.isArray(before);
      const overlaps = isList || overlapSeconds !== null || isKey(row, field, bindings);
      if (row.type === 'oauth2' && overlapSeconds) {
        throw wrongFields([
          { field: 'overlap_seconds', message: 'is not for oauth2: its provider ends the old value' },
        ]);
      }
      const seconds =
        overlaps && row.type !== 'oauth2' ? (overlapSeconds ?? this.settings.ROTATION_OVERLAP_SECONDS) : 0;
      const [last = ''] = [before].flat();
      const same = last === read.reveal();
      const both: [string, string] = [read.reveal(), last];
      const begun = seconds > 0 && !same ? { field, overlapSeconds: seconds } : null;
      if (isList) fields.set(field, toSecret(begun ? both : both.slice(0, 1)));
      else fields.set(field, begun ? toRotating(both) : read);
      return { fields, written: [field], given, begun };
    };
  }

  /** Drops all values of a field but the newest. @throws Problem 409 `not_a_list` */
  keepFirst(field: string): FieldChange {
    return async (row) => {
      const fields = await this.opener.openLocked(row);
      const before = valueOf(row, fields, field);
      const secret = fields.get(field);
      const isRotating = secret !== undefined && rotatingValues(secret) !== null;
      if (!Array.isArray(before) && !isRotating) {
        throw new Problem(
          409,
          'not_a_list',
          `The field ${field} of credential ${row.id} has only one value: there is no rotation to finish.`,
        );
      }
      fields.set(field, toSecret(Array.isArray(before) ? before.slice(0, 1) : before));
      return { fields, written: [field], given: new Map() };
    };
  }

  /** As `keepFirst`, if the overlap is still to end at that time: it may have been rotated again. */
  endOverlap(field: string, endsAt: Date): FieldChange {
    return async (row, bindings) => {
      const found = row.rotations.find((one) => one.field === field);
      if (found?.ends_at.getTime() !== endsAt.getTime()) return null;
      return this.keepFirst(field)(row, bindings);
    };
  }
}

/** Whether a field checks signatures: by its name, or because something is bound to it for that. */
function isKey({ type }: Credential, field: string, bindings: CredentialBinding[]): boolean {
  if (type === 'oauth2') return false;
  return (
    signingName.test(field) ||
    bindings.some((one) => one.key_check?.fields.some((name) => name === field || name === one.maps_to[field]))
  );
}

/** @throws Problem 422 `invalid_fields` for values with which what is bound could not protect itself */
function refuseWeakKeys(bindings: CredentialBinding[], given: Map<string, Secret>, written: string[] | null): void {
  const errors = bindings.flatMap((binding) => {
    const { key_check: check, maps_to: mapsTo, consumer_kind: kind, consumer_id: id } = binding;
    if (!check) return [];
    return keyProblems(check, given, (field) => mapsTo[field] ?? field)
      .filter(({ field }) => written === null || written.includes(field))
      .map(({ field, message }) => ({ field: `fields.${field}`, message: `${message}; used by the ${kind} ${id}` }));
  });
  if (errors.length > 0) throw wrongFields(errors);
}

function valueOf(row: Credential, fields: Map<string, Secret>, field: string): string | string[] {
  const secret = fields.get(field);
  if (!secret) throw new Problem(404, 'field_not_found', `Credential ${row.id} has no field of this name.`);
  return fromSecret(secret);
}
