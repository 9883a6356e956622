import { columnsOf, newId } from '#libs/contracts';
import { notFound, type Principal, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { AuditRepository } from '../audit/audit.repository.js';
import type { AuditAction } from '../audit/credential-audit.entity.js';
import { CredentialRepository } from '../credential-store/credential.repository.js';
import type { Credential } from '../credential-store/credential.entity.js';
import { hasStoredTokens, isProtected } from '../credential-store/field-rules.js';
import { StoredTokens } from '../grants/stored-tokens.service.js';
import { awaitingApproval, checkBinding, leaves, nameOf } from './binding-rules.js';
import type { BindConsumer, BindingView, CreateBinding, UpdateBinding, UsedCredential } from './binding.dto.js';
import { AlreadyBound, BindingRepository, CredentialGone, type Which } from './binding.repository.js';
import type { CredentialBinding, ConsumerKind } from '../credential-store/credential-binding.entity.js';

type Asked = Pick<CredentialBinding, 'fields' | 'maps_to' | 'approved'>;

@Injectable()
export class BindingService {
  constructor(
    private readonly bindings: BindingRepository,
    private readonly credentials: CredentialRepository,
    private readonly audit: AuditRepository,
    private readonly stored: StoredTokens,
  ) {}

  /** @throws Problem 422 `invalid_fields`, 403 `scope_missing` for an approval, 409 `already_bound` */
  async create(caller: Principal, credentialId: string, body: CreateBinding): Promise<BindingView> {
    const { consumer_kind, consumer_id, fields = null, maps_to = {}, approve = [] } = body;
    const credential = await this.credential(caller, credentialId);
    const asked = approvedBy(caller, credential, { fields, maps_to, approved: {} }, approve);
    refuseUnapproved(credential, asked);
    const id = await this.insert(caller, credential, consumer_kind, consumer_id, asked);
    if (!id) {
      throw new Problem(
        409,
        'already_bound',
        `The ${consumer_kind} ${consumer_id} is already bound to this credential: change that binding.`,
      );
    }
    if (approve.length > 0) await this.note(caller, credentialId, 'approved', approve, consumer_kind, consumer_id);
    return this.get(caller, credential, id);
  }

  async list(caller: Principal, credentialId: string): Promise<BindingView[]> {
    const credential = await this.credential(caller, credentialId);
    return (await this.bindings.ofCredential(caller, credentialId)).map((row) => view(credential, row));
  }

  /** @throws Problem as `create` */
  async update(caller: Principal, credentialId: string, id: string, body: UpdateBinding): Promise<BindingView> {
    const credential = await this.credential(caller, credentialId);
    const row = await this.bindings.find(caller, credentialId, id);
    if (!row) throw notFound('binding', id);
    const fields = body.fields === undefined ? row.fields : body.fields;
    const next = { fields, maps_to: body.maps_to ?? row.maps_to, approved: row.approved };
    const asked = approvedBy(caller, credential, next, body.approve ?? []);
    refuseUnapproved(credential, asked);
    await this.bindings.update(id, asked);
    const action = body.approve?.length ? 'approved' : 'bound';
    await this.note(caller, credentialId, action, body.approve ?? [], row.consumer_kind, row.consumer_id);
    return this.get(caller, credential, id);
  }

  async delete(caller: Principal, credentialId: string, id: string): Promise<void> {
    const row = await this.bindings.find(caller, credentialId, id);
    if (!row || !(await this.bindings.delete(caller, credentialId, id))) throw notFound('binding', id);
    await this.note(caller, credentialId, 'unbound', [], row.consumer_kind, row.consumer_id);
  }

  /** Creates or changes one binding of a consumer that a service manages. Its other bindings stay. */
  async bind(
    caller: Principal,
    { credential_id: credentialId, consumer, adapter_slug: adapterSlug, ...asked }: BindConsumer,
  ): Promise<BindingView> {
    const credential = await this.credential(caller, credentialId);
    const { kind, id: consumerId } = consumer;
    const known = await this.bindings.ofConsumer(caller, credentialId, kind, consumerId);
    const next = {
      fields: asked.fields === undefined ? (known?.fields ?? null) : asked.fields,
      maps_to: asked.maps_to ?? known?.maps_to ?? {},
      approved: known?.approved ?? {},
      signing: asked.signing === undefined ? (known ? known.signing : []) : asked.signing,
      key_check: asked.key_check === undefined ? (known?.key_check ?? null) : asked.key_check,
    };
    checkBinding(credential, next);
    if (known) await this.bindings.update(known.id, next);
    else await this.insert(caller, credential, kind, consumerId, next);
    const row = await this.bindings.ofConsumer(caller, credentialId, kind, consumerId);
    if (!row) throw notFound('binding', consumerId);
    if (adapterSlug && hasStoredTokens(credential)) await this.stored.tryMove(caller, credentialId, adapterSlug);
    return view(credential, row);
  }

  /**
   * Binds a consumer to exactly these credentials, as far as services made its bindings. Old bindings are removed last,
   * so that whoever still uses them meanwhile is not refused.
   * @returns ids that no credential of the project has; the others are bound
   */
  async bindAll(
    caller: Principal,
    kind: ConsumerKind,
    consumerId: string,
    credentials: UsedCredential[],
  ): Promise<{ unknown: string[] }> {
    const used = new Map(credentials.map((one) => [one.credential_id, one]));
    const unknown: string[] = [];
    for (const [credentialId, one] of used) {
      try {
        await this.bind(caller, { ...one, consumer: { kind, id: consumerId } });
      } catch (error) {
        if (!(error instanceof Problem) || error.status !== 404) throw error;
        unknown.push(credentialId);
      }
    }
    await this.letGo(caller, kind, consumerId, { except: [...used.keys()] });
    return { unknown };
  }

  /** For a consumer that is gone or no longer uses this credential. */
  async unbind(caller: Principal, kind: ConsumerKind, consumerId: string, credentialId?: string): Promise<void> {
    await this.letGo(caller, kind, consumerId, credentialId === undefined ? {} : { only: credentialId });
  }

  private async letGo(caller: Principal, kind: ConsumerKind, consumerId: string, which: Which): Promise<void> {
    for (const credentialId of await this.bindings.unbindConsumer(caller, kind, consumerId, which)) {
      await this.note(caller, credentialId, 'unbound', [], kind, consumerId);
    }
  }

  /** @returns null when the consumer is already bound to the credential */
  private async insert(
    caller: Principal,
    credential: Credential,
    kind: ConsumerKind,
    consumerId: string,
    asked: Asked & Partial<Pick<CredentialBinding, 'signing' | 'key_check'>>,
  ): Promise<string | null> {
    const id = newId('bnd');
    const owner = columnsOf(caller);
    const consumer = { consumer_kind: kind, consumer_id: consumerId };
    try {
      await this.bindings.insert({
        id,
        ...owner,
        credential_id: credential.id,
        ...consumer,
        ...asked,
        signing: asked.signing === undefined ? [] : asked.signing,
        key_check: asked.key_check ?? null,
        created_by: caller.subject,
      });
    } catch (error) {
      if (error instanceof CredentialGone) throw notFound('credential', credential.id);
      if (error instanceof AlreadyBound) return null;
      throw error;
    }
    await this.note(caller, credential.id, 'bound', asked.fields ?? [], kind, consumerId);
    return id;
  }

  private async credential(caller: Principal, id: string): Promise<Credential> {
    const row = await this.credentials.find(caller, id);
    if (!row) throw notFound('credential', id);
    return row;
  }

  private async get(caller: Principal, credential: Credential, id: string): Promise<BindingView> {
    const row = await this.bindings.find(caller, credential.id, id);
    if (!row) throw notFound('binding', id);
    return view(credential, row);
  }

  private async note(
    { organizationId, projectId, subject: actor }: Principal,
    credentialId: string,
    action: AuditAction,
    fields: string[],
    kind: ConsumerKind,
    consumerId: string,
  ): Promise<void> {
    const consumer = `${kind}:${consumerId}`;
    await this.audit.append([{ organizationId, projectId, credentialId, actor, action, fields, consumer }]);
  }
}

/** The requested binding, with the approvals that the caller gives and is entitled to. */
function approvedBy(caller: Principal, credential: Credential, asked: Asked, approve: string[]): Asked {
  checkBinding(credential, asked);
  if (approve.length === 0) return asked;
  const errors = approve.flatMap((field, at) =>
    isProtected(credential, field) ? [] : [{ field: `approve.${at}`, message: 'is not a field that needs approval' }],
  );
  if (errors.length > 0) throw new Problem(422, 'invalid_fields', 'Some fields are not valid.', errors);
  if (!caller.scopes.includes('admin')) {
    throw new Problem(403, 'scope_missing', 'Approving a protected field needs the scope admin.');
  }
  const given = Object.fromEntries(approve.map((field) => [field, nameOf(asked, field)]));
  return { ...asked, approved: { ...asked.approved, ...given } };
}

/** A person gets the error at once. A service's binding is stored and has no effect until approved. */
function refuseUnapproved(credential: Credential, asked: Asked): void {
  const waiting = awaitingApproval(credential, asked);
  if (waiting.length === 0) return;
  const message = 'is protected and must be approved: name it in approve, with the scope admin';
  const errors = waiting.map((field) => ({ field: field in asked.maps_to ? `maps_to.${field}` : 'fields', message }));
  throw new Problem(422, 'invalid_fields', `${waiting.join(', ')} needs approval for this binding.`, errors);
}

function view(credential: Credential, row: CredentialBinding): BindingView {
  const { id, credential_id, consumer_kind, consumer_id, fields, maps_to, created_by } = row;
  return {
    id,
    credential_id,
    consumer_kind,
    consumer_id,
    fields,
    maps_to,
    approved: Object.keys(row.approved).filter((field) => leaves(credential, row, field)),
    awaiting_approval: awaitingApproval(credential, row),
    created_by,
    created_at: row.created_at.toISOString(),
  };
}
