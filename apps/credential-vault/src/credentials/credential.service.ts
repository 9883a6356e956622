import type { Transaction } from '#libs/database';
import { newId, type ProjectScope } from '#libs/contracts';
import { notFound, type Page, pageOf, type Principal, Problem, type SearchQuery } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { AuditRepository } from '../audit/audit.repository.js';
import type { CredentialBinding } from '../credential-store/credential-binding.entity.js';
import type { AuditAction } from '../audit/credential-audit.entity.js';
import { ClientPauses } from '../grants/client-pauses.js';
import { RevocationService } from '../grants/revocation.service.js';
import { StoredTokens } from '../grants/stored-tokens.service.js';
import { TokenCustody } from '../grants/token-custody.js';
import { Sealer } from '../sealing/sealer.js';
import { Verifier } from '../verification/verifier.js';
import { checkFields, type FieldNote, readFields, wrongFields } from './credential-fields.js';
import type { CreateCredential, CredentialView, RotateField, UpdateCredential } from './credential.dto.js';
import type { EndedRotation } from './field-rotation.repository.js';
import {
  type CredentialStatus,
  type CredentialType,
  oauthGrants,
  type Credential,
} from '../credential-store/credential.entity.js';
import { CredentialOpener, Undecryptable } from '../credential-store/credential-opener.js';
import {
  CredentialRepository,
  type CredentialWrite,
  NameTaken,
  StillBound,
} from '../credential-store/credential.repository.js';
import { type FieldChange, FieldWriter } from './field-writer.js';

@Injectable()
export class CredentialService {
  constructor(
    private readonly credentials: CredentialRepository,
    private readonly opener: CredentialOpener,
    private readonly writer: FieldWriter,
    private readonly sealer: Sealer,
    private readonly verifier: Verifier,
    private readonly audit: AuditRepository,
    private readonly custody: TokenCustody,
    private readonly revocations: RevocationService,
    private readonly pauses: ClientPauses,
    private readonly stored: StoredTokens,
  ) {}

  /**
   * @param by if a service creates it: for which consumer, and why
   * @throws Problem 422 `invalid_fields`, 409 `name_taken`
   */
  async create(
    caller: Principal,
    body: CreateCredential,
    by: { managedFor: string; reason: string } | null = null,
  ): Promise<CredentialView> {
    const { name, type, grant = null, declared_fields = null, adapter_slug = null } = body;
    checkKind(body);
    const notes: FieldNote[] = [];
    const fields = readFields(type, body.fields, notes);
    checkFields({ type, grant, declared_fields }, fields);
    const id = newId('cred');
    const generation = 1;
    const { organizationId, projectId } = caller;
    const sealed = await this.sealer.seal({ organizationId, credentialId: id, type, generation }, fields);
    const row = {
      id,
      organization_id: organizationId,
      project_id: projectId,
      name,
      type,
      grant,
      declared_fields,
      adapter_slug,
      kid: sealed.kid,
      wrapped_dek: sealed.wrappedDek,
      generation,
      status: statusOfNew(type, fields),
      managed_for: by?.managedFor ?? null,
    };
    await refuseTakenName(name, () => this.credentials.insert(row, sealed));
    await this.note(caller, id, 'created', [...fields.keys()], by?.reason);
    return noting(notes, await this.verified(caller, id));
  }

  async list(scope: ProjectScope, { limit, cursor, search }: SearchQuery): Promise<Page<CredentialView>> {
    const rows = await this.credentials.list(scope, limit + 1, cursor, search);
    const page = pageOf(rows, limit, (row) => row.id);
    return { data: page.data.map(viewOf), next_cursor: page.next_cursor };
  }

  async get(scope: ProjectScope, id: string): Promise<CredentialView> {
    const row = await this.credentials.find(scope, id);
    if (!row) throw notFound('credential', id);
    return viewOf(row);
  }

  /** Merges fields into the existing ones; null removes a field. */
  async update(caller: Principal, id: string, body: UpdateCredential, reason?: string): Promise<CredentialView> {
    const { name, fields, ...columns } = body;
    const changesFields = fields !== undefined || body.declared_fields !== undefined;
    const notes: FieldNote[] = [];
    const change = changesFields ? this.writer.merge(fields ?? {}, notes) : null;
    await this.write(caller, id, { ...columns, ...(name === undefined ? {} : { name }) }, change);
    await this.note(caller, id, 'updated', Object.keys(fields ?? {}), reason);
    const verifies = changesFields || body.adapter_slug;
    return noting(notes, await (verifies ? this.verified(caller, id) : this.get(caller, id)));
  }

  /** Replaces all fields. The old ones need not open for this. */
  async rotate(caller: Principal, id: string, fields: Record<string, unknown>): Promise<CredentialView> {
    const notes: FieldNote[] = [];
    await this.write(caller, id, {}, this.writer.replace(fields, notes));
    await this.note(caller, id, 'rotated', Object.keys(fields));
    return noting(notes, await this.verified(caller, id));
  }

  /** Replaces one value; the one before stays valid for a while, where both can be used. */
  async rotateField(
    caller: Principal,
    id: string,
    field: string,
    { value, overlap_seconds: overlapSeconds }: RotateField,
  ): Promise<CredentialView> {
    const notes: FieldNote[] = [];
    await this.write(caller, id, {}, this.writer.rotate(field, value, overlapSeconds ?? null, notes));
    await this.note(caller, id, 'rotated', [field]);
    return noting(notes, await this.verified(caller, id));
  }

  /** Reduces a list to its newest value. */
  async finishRotation(caller: Principal, id: string, field: string): Promise<CredentialView> {
    await this.write(caller, id, {}, this.writer.keepFirst(field));
    await this.note(caller, id, 'rotated', [field]);
    return this.get(caller, id);
  }

  /** Drops a replaced value whose time is over, unless it was rotated again. */
  async endOverlap(ended: EndedRotation): Promise<void> {
    const { credential_id: id, field, organization_id: organizationId, project_id: projectId } = ended;
    const scope = { organizationId, projectId };
    await this.write(scope, id, {}, this.writer.endOverlap(field, ended.ends_at));
    const actor = 'service:credential-vault';
    const reason = 'the overlap of the rotation has ended';
    await this.audit.append([{ ...scope, credentialId: id, actor, action: 'rotated', fields: [field], reason }]);
  }

  /** @throws Problem 409 `credential_in_use`, naming what uses it, unless `force` */
  async delete(caller: Principal, id: string, force: boolean): Promise<void> {
    const client = await this.custody.clientOf(caller, id);
    let left: string[] = [];
    const leaving = async (manager: Transaction): Promise<void> => {
      left = await this.custody.takeAll(manager, caller, id, client, 'deleted');
    };
    const fields = await this.credentials.delete(caller, id, force, leaving).catch((error: unknown) => {
      if (!(error instanceof StillBound)) throw error;
      const users = error.bindings.map((binding) => `${binding.consumer_kind} ${binding.consumer_id}`);
      const some = `${users.slice(0, 20).join(', ')}${users.length > 20 ? `, and ${users.length - 20} more` : ''}`;
      throw new Problem(
        409,
        'credential_in_use',
        `Credential ${id} is used by ${some}: unbind it there first, or delete it with ?force=true.`,
        users.slice(0, 20).map((user) => ({ field: 'bindings', message: user })),
      );
    });
    if (!fields) throw notFound('credential', id);
    for (const revocation of left) await this.revocations.enqueue(revocation);
    await this.note(caller, id, 'deleted', fields);
  }

  private async write(
    scope: ProjectScope,
    id: string,
    columns: Omit<UpdateCredential, 'fields'>,
    change: FieldChange | null,
  ): Promise<void> {
    const locked: Credential[] = [];
    const write = async (row: Credential, bindings: () => Promise<CredentialBinding[]>): Promise<CredentialWrite> => {
      locked.push(row);
      return this.writer.write(row, columns, change, bindings);
    };
    const found = await refuseTakenName(columns.name ?? '', () => this.credentials.update(scope, id, write)).catch(
      async (error: unknown) => {
        if (error instanceof Undecryptable) for (const row of locked) await this.opener.noteUndecryptable(row);
        throw error;
      },
    );
    if (!found) throw notFound('credential', id);
    if (change) await this.pauses.lift(id);
  }

  private async verified(caller: Principal, id: string): Promise<CredentialView> {
    const unmoved = await this.stored.tryMove(caller, id);
    await this.verifier.afterSave(caller, id);
    const row = unmoved && (await this.credentials.find(caller, id));
    if (row?.fields.some(({ field }) => field === 'refresh_token')) {
      await this.credentials.note(id, row.generation, { reason: unmoved?.detail ?? null });
    }
    return this.get(caller, id);
  }

  private async note(
    { organizationId, projectId, subject: actor }: Principal,
    credentialId: string,
    action: AuditAction,
    names: string[],
    reason: string | null = null,
  ): Promise<void> {
    const fields = names.slice(0, 50);
    await this.audit.append([{ organizationId, projectId, credentialId, actor, action, fields, reason }]);
  }
}

/** The answer to a save, with what was changed of the given values. */
const noting = (notes: FieldNote[], view: CredentialView): CredentialView =>
  notes.length > 0 ? { ...view, notes } : view;

function checkKind({ type, grant, declared_fields: declared }: CreateCredential): void {
  const errors = [
    ...(type === 'oauth2' && !grant ? [{ field: 'grant', message: `must be one of ${oauthGrants.join(', ')}` }] : []),
    ...(type !== 'oauth2' && grant ? [{ field: 'grant', message: 'is only for the type oauth2' }] : []),
    ...(type !== 'text' && declared ? [{ field: 'declared_fields', message: 'is only for the type text' }] : []),
  ];
  if (errors.length > 0) throw wrongFields(errors);
}

/** An oauth2 credential without a token waits for consent or for its first token. */
function statusOfNew(type: CredentialType, fields: ReadonlyMap<string, unknown>): CredentialStatus {
  return type === 'oauth2' && !fields.has('access_token') ? 'pending' : 'active';
}

async function refuseTakenName<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof NameTaken)) throw error;
    throw new Problem(409, 'name_taken', `This project already has a credential named ${JSON.stringify(name)}.`);
  }
}

/** What the management API may show of a row. */
function viewOf(row: Credential): CredentialView {
  const { id, name, type, grant, declared_fields, adapter_slug, generation, status, reason, account } = row;
  return {
    id,
    name,
    type,
    grant,
    fields: row.fields.map(({ field }) => field).sort(),
    declared_fields,
    adapter_slug,
    generation,
    status,
    reason,
    account,
    managed_for: row.managed_for,
    notification_failure: row.notification_failure,
    rotating: row.rotations.map(({ field, ends_at: until }) => ({ field, until: until.toISOString() })),
    last_verified_at: row.last_verified_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
