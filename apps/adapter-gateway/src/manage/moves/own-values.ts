import type { ProjectScope } from '#libs/contracts';
import type { RowPassage, RowsPage } from '#libs/project-rows';
import { Inject, Injectable } from '@nestjs/common';
import { type GatewaySettings, SETTINGS } from '../../env.js';
import { AppRepository } from '../apps/app.repository.js';

/** Stands for the address of the shipped adapters, wherever they are. */
const shipped = 'shipped:';

/** What each installation has of its own: where the shipped adapters are, and how often its Apps have changed. */
@Injectable()
export class OwnValues implements RowPassage {
  private readonly adapters: string | null;

  constructor(
    private readonly apps: AppRepository,
    @Inject(SETTINGS) { ADAPTERS_URL: url }: Pick<GatewaySettings, 'ADAPTERS_URL'>,
  ) {
    this.adapters = url === null ? null : `${url.replace(/\/$/, '')}/`;
  }

  async leave(_scope: ProjectScope, table: string, page: RowsPage): Promise<RowsPage> {
    return table === 'gateway.adapter' ? readdressed(page, this.adapters, shipped) : page;
  }

  async arrive(_scope: ProjectScope, table: string, page: RowsPage): Promise<RowsPage> {
    if (table === 'gateway.adapter') return readdressed(page, shipped, this.adapters);
    if (table !== 'gateway.app') return page;
    // The ingress takes only what has a higher version than it has seen.
    const at = page.columns.indexOf('version');
    const rows = await Promise.all(page.rows.map(async (row) => row.with(at, String(await this.apps.nextVersion()))));
    return { columns: page.columns, rows };
  }
}

function readdressed(page: RowsPage, from: string | null, to: string | null): RowsPage {
  if (from === null || to === null) return page;
  const at = page.columns.indexOf('base_url');
  const rows = page.rows.map((row) => {
    const address = row[at];
    return address?.startsWith(from) ? row.with(at, `${to}${address.slice(from.length)}`) : row;
  });
  return { columns: page.columns, rows };
}
