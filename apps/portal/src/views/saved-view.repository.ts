import { columnsOf, newId, type ProjectScope } from '#libs/contracts';
import type { Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { DataSource, type FindOptionsWhere } from 'typeorm';
import { SavedView, type ViewedList } from './saved-view.entity.js';

@Injectable()
export class SavedViewRepository {
  constructor(private readonly db: DataSource) {}

  /** Those of the caller and the shared ones, by name. */
  list(caller: Principal, list: ViewedList, limit: number): Promise<SavedView[]> {
    return this.db.manager.find(SavedView, {
      where: seenBy(caller, list),
      order: { name: 'ASC', id: 'ASC' },
      take: limit,
    });
  }

  /** Of those that `list` gives: nobody uses up what others may save for themselves. */
  count(caller: Principal, list: ViewedList): Promise<number> {
    return this.db.manager.countBy(SavedView, seenBy(caller, list));
  }

  find(scope: ProjectScope, id: string): Promise<SavedView | null> {
    return this.db.manager.findOneBy(SavedView, { ...columnsOf(scope), id });
  }

  insert(by: Principal, view: Pick<SavedView, 'list' | 'name' | 'search' | 'shared'>): Promise<SavedView> {
    const row = { id: newId('viw'), ...columnsOf(by), ...view, made_by: by.subject };
    return this.db.manager.save(SavedView, this.db.manager.create(SavedView, row), { reload: true });
  }

  async delete(scope: ProjectScope, id: string): Promise<void> {
    await this.db.manager.delete(SavedView, { ...columnsOf(scope), id });
  }
}

function seenBy(caller: Principal, list: ViewedList): FindOptionsWhere<SavedView>[] {
  const where = { ...columnsOf(caller), list };
  return [
    { ...where, shared: true },
    { ...where, made_by: caller.subject },
  ];
}
