import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, Not, Repository } from 'typeorm';
import { AdapterRow } from '../adapters/adapter.entity.js';
import { AppRow } from './app.entity.js';

interface Scope {
  organizationId: string;
  projectId: string;
}

@Injectable()
export class AppRepository {
  constructor(@InjectRepository(AppRow) private readonly rows: Repository<AppRow>) {}

  async nextVersion(): Promise<number> {
    const [row] = (await this.rows.query("SELECT nextval('gateway.app_version')::integer AS version")) as {
      version: number;
    }[];
    return row!.version;
  }

  /** @returns false when the project has an App of that provider */
  async insert(row: AppRow): Promise<boolean> {
    const { raw } = await this.rows
      .createQueryBuilder()
      .insert()
      .values(row as object)
      .orIgnore()
      .returning('id')
      .execute();
    return (raw as unknown[]).length > 0;
  }

  update(id: string, change: Partial<AppRow>): Promise<unknown> {
    return this.rows.update({ id }, change as object);
  }

  find(scope: Scope, id: string): Promise<AppRow | null> {
    return this.rows.findOneBy({ id, organization_id: scope.organizationId, project_id: scope.projectId });
  }

  list(scope: Scope): Promise<AppRow[]> {
    return this.rows.find({
      where: { organization_id: scope.organizationId, project_id: scope.projectId, state: Not('retired') },
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

  byId(id: string): Promise<AppRow | null> {
    return this.rows.findOneBy({ id });
  }

  changedAfter(version: number, limit: number): Promise<AppRow[]> {
    return this.rows.find({ where: { version: MoreThan(version) }, order: { version: 'ASC' }, take: limit });
  }
}
