import { Sweeping } from '#libs/database';
import type { Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { noLimits, type ProjectLimitsDto } from './limits.dto.js';

/** A change is sent to one replica only; the others read it within this time. */
const readEveryMs = 10_000;

/** The limits of projects that have their own, in memory, because every message needs them. */
export class ProjectLimits extends Sweeping {
  private limits = new Map<string, ProjectLimitsDto>();

  constructor(
    private readonly db: Pick<DataSource, 'query'>,
    private readonly schema: string,
  ) {
    super();
    const sweep = async (): Promise<number> => {
      await this.read();
      return 0;
    };
    this.sweepEvery({ name: 'project-limits', everyMs: readEveryMs, batch: 1, sweep });
  }

  of(projectId: string): ProjectLimitsDto {
    return this.limits.get(projectId) ?? noLimits;
  }

  /** Projects with a shorter retention than the installation, with their days. */
  shorterThan(days: number): { projectId: string; days: number }[] {
    return [...this.limits].flatMap(([projectId, { retention_days: own }]) =>
      own !== null && own < days ? [{ projectId, days: own }] : [],
    );
  }

  async set(organizationId: string, projectId: string, limits: ProjectLimitsDto): Promise<void> {
    await this.db.query(
      `INSERT INTO ${this.schema}.project_limit AS p (project_id, organization_id, limits) VALUES ($1, $2, $3)
       ON CONFLICT (project_id) DO UPDATE SET limits = excluded.limits WHERE p.organization_id = excluded.organization_id`,
      [projectId, organizationId, JSON.stringify(limits)],
    );
    await this.read();
  }

  private async read(): Promise<void> {
    const rows = (await this.db.query(`SELECT project_id, limits FROM ${this.schema}.project_limit`)) as {
      project_id: string;
      limits: ProjectLimitsDto;
    }[];
    this.limits = new Map(rows.map(({ project_id, limits }) => [project_id, { ...noLimits, ...limits }]));
  }
}

/** @param schema of the service; its migrations create the table */
export function projectLimitsProvider(schema: string): Provider {
  return {
    provide: ProjectLimits,
    useFactory: (db: DataSource) => new ProjectLimits(db, schema),
    inject: [DataSource],
  };
}
