import { AuditLog } from '#libs/audit';
import { columnsOf, type ProjectScope } from '#libs/contracts';
import type { Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, IsNull, Not, Repository } from 'typeorm';
import { Provider, type ProviderFields, type ProviderTested } from '../../entities/provider.entity.js';

@Injectable()
export class ProviderRepository {
  constructor(
    @InjectRepository(Provider) private readonly providers: Repository<Provider>,
    private readonly audit: AuditLog,
  ) {}

  /** By name; a project has few. */
  all(owner: ProjectScope): Promise<Provider[]> {
    return this.providers.find({ where: columnsOf(owner), order: { name: 'ASC' } });
  }

  find(owner: ProjectScope, id: string): Promise<Provider | null> {
    return this.providers.findOneBy({ ...columnsOf(owner), id });
  }

  /** @returns null when the project has a provider of this name */
  async create(caller: Principal, fields: ProviderFields & Pick<Provider, 'id' | 'kind'>): Promise<Provider | null> {
    return this.providers.manager.transaction(async (tx) => {
      await onlyOne(tx, caller, fields);
      const { raw } = await tx
        .createQueryBuilder()
        .insert()
        .into(Provider)
        .values({ ...columnsOf(caller), ...fields })
        .orIgnore()
        .returning('id')
        .execute();
      if (!Array.isArray(raw) || raw.length === 0) return null;
      const provider = await tx.findOneByOrFail(Provider, { id: fields.id });
      const change = { before: null, after: shownInAudit(provider) };
      await this.audit.append(tx, caller, { action: 'provider.created', subject: provider.id, ...change });
      return provider;
    });
  }

  /** @returns null when there is no such provider */
  async update(caller: Principal, id: string, fields: Partial<ProviderFields>): Promise<Provider | null> {
    return this.providers.manager.transaction(async (tx) => {
      const where = { ...columnsOf(caller), id };
      const before = await tx.findOne(Provider, { where, lock: { mode: 'pessimistic_write' } });
      if (!before) return null;
      await onlyOne(tx, caller, fields);
      await tx.update(Provider, where, { ...fields, updated_at: new Date() });
      const provider = await tx.findOneByOrFail(Provider, where);
      const change = { before: shownInAudit(before), after: shownInAudit(provider) };
      await this.audit.append(tx, caller, { action: 'provider.changed', subject: id, ...change });
      return provider;
    });
  }

  async delete(caller: Principal, id: string): Promise<void> {
    await this.providers.manager.transaction(async (tx) => {
      const where = { ...columnsOf(caller), id };
      const provider = await tx.findOne(Provider, { where, lock: { mode: 'pessimistic_write' } });
      if (!provider) return;
      await tx.delete(Provider, where);
      const change = { before: shownInAudit(provider), after: null };
      await this.audit.append(tx, caller, { action: 'provider.deleted', subject: id, ...change });
    });
  }

  async tested(owner: ProjectScope, id: string, tested: ProviderTested): Promise<void> {
    await this.providers.update({ ...columnsOf(owner), id }, { tested });
  }
}

/** One provider of a project has the default model, and one the model that hears voice notes. */
async function onlyOne(tx: EntityManager, owner: ProjectScope, fields: Partial<ProviderFields>): Promise<void> {
  for (const field of ['default_model', 'transcription_model'] as const) {
    if (typeof fields[field] !== 'string') continue;
    await tx.update(Provider, { ...columnsOf(owner), [field]: Not(IsNull()) }, { [field]: null });
  }
}

/** Where keys go, and which. */
function shownInAudit({ name, kind, base_url, region, credential_ids, ...models }: Provider): object {
  const { default_model, transcription_model } = models;
  return { name, kind, base_url, region, credential_ids, default_model, transcription_model };
}
