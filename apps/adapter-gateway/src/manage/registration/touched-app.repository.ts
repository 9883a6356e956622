import type { Manifest } from '#libs/adapter-sdk';
import type { EntityManager } from 'typeorm';
import type { AppRow } from '../../entities/app.entity.js';
import { capabilitiesOf } from '../../path/apps/installed-apps.js';
import { namedForDirection } from '../apps/direction.js';

/** An App whose endpoint has to be read again, because its adapter changed. */
export interface TouchedApp {
  id: string;
  version: number;
}

/**
 * Brings the Apps of an adapter in line with the manifest in force: their names carry the direction that they still
 * have, the vault is shown which records they use, and the ingress reads them again. The caller holds the adapter's row
 * locked.
 */
export async function touchApps(manager: EntityManager, adapterId: string, manifest: Manifest): Promise<TouchedApp[]> {
  const apps = await manager.query<Pick<AppRow, 'id' | 'name' | 'capabilities'>[]>(
    `SELECT id, name, capabilities FROM gateway.app WHERE adapter_id = $1 AND state <> 'retired' ORDER BY id FOR UPDATE`,
    [adapterId],
  );
  const touched: TouchedApp[] = [];
  for (const app of apps) {
    const name = namedForDirection(app.name, capabilitiesOf(app, manifest));
    const [rows] = (await manager.query(
      `UPDATE gateway.app SET name = $2, version = nextval('gateway.app_version')::integer, bindings_due_at = now(),
         updated_at = now() WHERE id = $1 RETURNING id, version`,
      [app.id, name],
    )) as [TouchedApp[], number];
    touched.push(...rows);
  }
  return touched;
}
