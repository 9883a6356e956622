import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Project } from './project.entity.js';

@Injectable()
export class ProjectRepository {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  find(organizationId: string, id: string): Promise<Project | null> {
    return this.db.manager.findOneBy(Project, { id, organization_id: organizationId });
  }

  /** Newest first. @param only the one project to list, or null for all of the organization */
  list(organizationId: string, only: string | null, limit: number, cursor: string | undefined): Promise<Project[]> {
    const query = this.db.manager
      .createQueryBuilder(Project, 'p')
      .where('p.organization_id = :organizationId', { organizationId });
    if (only !== null) query.andWhere('p.id = :only', { only });
    if (cursor !== undefined) query.andWhere('p.id < :cursor', { cursor });
    return query.orderBy('p.id', 'DESC').take(limit).getMany();
  }
}
