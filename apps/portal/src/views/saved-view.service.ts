import { notFound, type Principal, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { type NewView, savedViewView, type SavedViewView } from './saved-view.dto.js';
import type { SavedView, ViewedList } from './saved-view.entity.js';
import { SavedViewRepository } from './saved-view.repository.js';

/** Of one list that one caller sees. */
const mostViews = 200;
const mostChars = 4_000;

/** Saved filters of lists: those of the caller, and those that somebody shared. */
@Injectable()
export class SavedViewService {
  constructor(private readonly views: SavedViewRepository) {}

  async list(caller: Principal, list: ViewedList): Promise<SavedViewView[]> {
    const rows = await this.views.list(caller, list, mostViews);
    return rows.map((row) => savedViewView(row, mayDelete(caller, row)));
  }

  /** @throws Problem 409 `too_many_views`; 422 */
  async create(caller: Principal, { list, name, search, shared = false }: NewView): Promise<SavedViewView> {
    const chars = JSON.stringify(search).length;
    if (chars > mostChars) {
      const message = `It has ${chars} characters as JSON; at most ${mostChars} are allowed.`;
      throw new Problem(422, 'invalid_fields', 'Some fields are not valid.', [{ field: 'search', message }]);
    }
    if ((await this.views.count(caller, list)) >= mostViews) {
      const detail = `You see ${mostViews} views of this list, which is the limit: delete one.`;
      throw new Problem(409, 'too_many_views', detail);
    }
    const saved = await this.views.insert(caller, { list, name, search, shared });
    return savedViewView(saved, true);
  }

  /** @throws Problem 404; 403 for a shared one of somebody else */
  async remove(caller: Principal, id: string): Promise<void> {
    const row = await this.views.find(caller, id);
    if (!row || (!row.shared && row.made_by !== caller.subject)) throw notFound('view', id);
    if (!mayDelete(caller, row)) {
      const detail = 'Somebody else shared this view: ask them, or an administrator, to delete it.';
      throw new Problem(403, 'forbidden', detail);
    }
    await this.views.delete(caller, id);
  }
}

function mayDelete({ subject, scopes }: Principal, { made_by: by }: SavedView): boolean {
  return by === subject || scopes.includes('admin');
}
