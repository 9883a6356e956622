import { columnsOf, type ProjectScope } from '#libs/contracts';
import { type DueRows, takeDueSql } from '#libs/work';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, MoreThan, Not, Repository } from 'typeorm';
import { AdapterRow, AppRow } from '../../entities/app.entity.js';

/** The project already has an App of that provider. */
export class AppExists extends Error {
  override readonly name = 'AppExists';
}

/** The adapter was unregistered meanwhile. */
export class AdapterGone extends Error {
  override readonly name = 'AdapterGone';
}

/** Records by the keys of the declarations that they now fill, and keys that are no longer filled. */
export interface LinkChange {
  linked: AppRow['credentials'];
  unlinked: string[];
}

/** Writes the audit entry of a change, in the same transaction. */
export type Noted = (tx: EntityManager) => Promise<void>;

const bound: DueRows = {
  table: 'gateway.app',
  key: 'id',
  dueAt: 'bindings_due_at',
  pause: 'make_interval(secs => $2)',
};

@Injectable()
export class AppRepository {
  constructor(@InjectRepository(AppRow) private readonly rows: Repository<AppRow>) {}

  async nextVersion(): Promise<number> {
    const [row] = (await this.rows.query("SELECT nextval('gateway.app_version')::integer AS version")) as {
      version: number;
    }[];
    return row!.version;
  }

  /** @throws AppExists when the project has an App of that provider; AdapterGone */
  async insert(row: AppRow, noted?: Noted): Promise<void> {
    await this.rows.manager.transaction(async (manager) => {
      // Locked until the commit, so that the adapter is not unregistered under a new App.
      const key = { where: { id: row.adapter_id ?? '' }, lock: { mode: 'pessimistic_read' as const } };
      if (row.adapter_id !== null && !(await manager.findOne(AdapterRow, key))) throw new AdapterGone();
      const { raw } = await manager
        .createQueryBuilder()
        .insert()
        .into(AppRow)
        .values(row as object)
        .orIgnore()
        .returning('id')
        .execute();
      if ((raw as unknown[]).length === 0) throw new AppExists();
      await noted?.(manager);
    });
  }

  /** Takes Apps whose bindings the vault is due to be informed; no other replica takes them for `leaseMs`. */
  async takeBindingsDue(limit: number, leaseMs: number): Promise<AppRow[]> {
    const [rows] = (await this.rows.query(`${takeDueSql(bound, '$1')} RETURNING *`, [limit, leaseMs / 1_000])) as [
      AppRow[],
      number,
    ];
    return rows;
  }

  /** @returns false when the App was changed since this row was read: then there is more to tell */
  async bindingsSettled({ id, version }: AppRow): Promise<boolean> {
    return ((await this.rows.update({ id, version }, { bindings_due_at: null })).affected ?? 0) > 0;
  }

  /** The project's App of a provider. */
  ofProvider(scope: ProjectScope, provider: string): Promise<AppRow | null> {
    return this.rows.findOneBy({
      ...columnsOf(scope),
      provider,
      state: Not('retired'),
    });
  }

  /**
   * @param links changes of the App's records; concurrent changes of other keys are kept @param noted as in `insert`
   */
  async update(id: string, change: Partial<AppRow>, links?: LinkChange, noted?: Noted): Promise<void> {
    if (!noted) return this.write(this.rows.manager, id, change, links);
    await this.rows.manager.transaction(async (manager) => {
      await this.write(manager, id, change, links);
      await noted(manager);
    });
  }

  private async write(tx: EntityManager, id: string, change: Partial<AppRow>, links?: LinkChange): Promise<void> {
    const merged = '(credentials || CAST(:linked AS jsonb)) - CAST(:unlinked AS text[])';
    await tx
      .createQueryBuilder()
      .update(AppRow)
      .set({ ...change, ...(links ? { credentials: () => merged } : {}) } as object)
      .where('id = :id', { id })
      .setParameters(links ? { linked: JSON.stringify(links.linked), unlinked: links.unlinked } : {})
      .execute();
  }

  find(scope: ProjectScope, id: string): Promise<AppRow | null> {
    return this.rows.findOneBy({ id, ...columnsOf(scope) });
  }

  list(scope: ProjectScope): Promise<AppRow[]> {
    return this.rows.find({
      where: { ...columnsOf(scope), state: Not('retired') },
      order: { id: 'ASC' },
    });
  }

  /** The Apps of an adapter that are not retired. */
  ofAdapter(adapterId: string): Promise<AppRow[]> {
    return this.rows.findBy({ adapter_id: adapterId, state: Not('retired') });
  }

  /** The Apps of the adapters at an address, whichever project registered them. */
  ofAdapterAt(baseUrl: string): Promise<AppRow[]> {
    return this.rows
      .createQueryBuilder('app')
      .innerJoin(AdapterRow, 'adapter', 'adapter.id = app.adapter_id')
      .where(`adapter.base_url = :baseUrl AND app.state <> 'retired'`, { baseUrl })
      .getMany();
  }

  changedAfter(version: number, limit: number): Promise<AppRow[]> {
    return this.rows.find({ where: { version: MoreThan(version) }, order: { version: 'ASC' }, take: limit });
  }
}
