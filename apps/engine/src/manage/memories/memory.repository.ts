import { AuditLog } from '#libs/audit';
import { columnsOf, type ProjectScope } from '#libs/contracts';
import type { Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, LessThan, MoreThan, type FindOptionsWhere } from 'typeorm';
import { ContactMemory } from '../../entities/compaction.entity.js';
import type { MemoryChange, MemoryQuery } from './memory.dto.js';

/** What agents remember of contacts, as people read, correct and delete it. The audit log has no text of it. */
@Injectable()
export class MemoryRepository {
  constructor(
    private readonly db: DataSource,
    private readonly audit: AuditLog,
  ) {}

  /** Newest first; one more than `limit` if there are more. */
  list(owner: ProjectScope, { contact_id, agent_id, cursor, limit }: MemoryQuery): Promise<ContactMemory[]> {
    const where = {
      ...columnsOf(owner),
      ...(contact_id === undefined ? {} : { contact_id }),
      ...(agent_id === undefined ? {} : { agent_id }),
      ...(cursor === undefined ? {} : { id: LessThan(cursor) }),
    };
    return this.db.manager.find(ContactMemory, { where: unexpired(where), order: { id: 'DESC' }, take: limit + 1 });
  }

  find(owner: ProjectScope, id: string): Promise<ContactMemory | null> {
    return this.db.manager.findOne(ContactMemory, { where: unexpired({ ...columnsOf(owner), id }) });
  }

  /** Another text is its author's, and so is trusted like what the project itself says. @returns null when it is gone */
  correct(caller: Principal, id: string, { text, expires_at: expires }: MemoryChange): Promise<ContactMemory | null> {
    return this.db.transaction(async (tx) => {
      const where = { ...columnsOf(caller), id };
      const before = await tx.findOne(ContactMemory, { where, lock: { mode: 'pessimistic_write' } });
      if (!before) return null;
      const isNew = text !== undefined && text !== before.text;
      await tx.update(ContactMemory, where, {
        corrected_by: caller.subject,
        corrected_at: new Date(),
        ...(isNew ? { text, content_trust: 'own' as const } : {}),
        ...(expires === undefined ? {} : { expires_at: expires === null ? null : new Date(expires) }),
      });
      const after = await tx.findOneByOrFail(ContactMemory, where);
      const change = { before: factsOf(before), after: { ...factsOf(after), text_changed: isNew } };
      await this.audit.append(tx, caller, { action: 'memory.corrected', subject: id, ...change });
      return after;
    });
  }

  /** @returns false when it is gone */
  delete(caller: Principal, id: string): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      const where = { ...columnsOf(caller), id };
      const memory = await tx.findOne(ContactMemory, { where, lock: { mode: 'pessimistic_write' } });
      if (!memory) return false;
      await tx.delete(ContactMemory, where);
      const before = factsOf(memory);
      await this.audit.append(tx, caller, { action: 'memory.deleted', subject: id, before, after: null });
      return true;
    });
  }

  /** Everything that agents remember of a contact. @returns how much it was */
  erase(caller: Principal, contactId: string): Promise<number> {
    return this.db.transaction(async (tx) => {
      const { affected } = await tx.delete(ContactMemory, { ...columnsOf(caller), contact_id: contactId });
      const deleted = affected ?? 0;
      const change = { before: { memories: deleted }, after: null };
      if (deleted > 0) await this.audit.append(tx, caller, { action: 'memory.erased', subject: contactId, ...change });
      return deleted;
    });
  }
}

function unexpired(where: FindOptionsWhere<ContactMemory>): FindOptionsWhere<ContactMemory>[] {
  return [
    { ...where, expires_at: IsNull() },
    { ...where, expires_at: MoreThan(new Date()) },
  ];
}

function factsOf({ agent_id, contact_id, content_trust, expires_at }: ContactMemory): object {
  return { agent_id, contact_id, content_trust, expires_at };
}
