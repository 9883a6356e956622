import type { Endpoint, ProjectScope } from '#libs/contracts';
import type { RowPassage, RowsPage } from '#libs/project-rows';
import { Injectable } from '@nestjs/common';

/** Versions of endpoints are counted by each installation: whatever the gateway here says is newer. */
@Injectable()
export class ArrivingEndpoints implements RowPassage {
  async leave(_scope: ProjectScope, _table: string, page: RowsPage): Promise<RowsPage> {
    return page;
  }

  async arrive(_scope: ProjectScope, table: string, page: RowsPage): Promise<RowsPage> {
    if (table !== 'ingress.endpoint') return page;
    const [version, definition] = [page.columns.indexOf('version'), page.columns.indexOf('definition')];
    const rows = page.rows.map((row) => {
      const endpoint: Endpoint = { ...(JSON.parse(row[definition] ?? '{}') as Endpoint), version: 0 };
      return row.with(version, '0').with(definition, JSON.stringify(endpoint));
    });
    return { columns: page.columns, rows };
  }
}
