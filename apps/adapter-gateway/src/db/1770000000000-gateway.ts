import { createAuditTable, dropAuditTable } from '#libs/audit';
import { changeTriggers, dropChangeTriggers } from '#libs/database';
import { createLimitTable, dropLimitTable } from '#libs/project-limits';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { adapters } from './tables/adapters.js';
import { apps } from './tables/apps.js';
import { deliveries } from './tables/deliveries.js';
import { inbound } from './tables/inbound.js';
import { sources } from './tables/sources.js';

/** Every replica caches Apps and their adapters until it is notified that they have changed. */
const announceChanges = changeTriggers('gateway', [
  { table: 'app', topic: 'app', key: 'id', except: ['bindings_due_at', 'renewal_failure'] },
  // Without a key: it concerns all Apps of the adapter, also those that were installed since.
  {
    table: 'adapter',
    topic: 'app',
    except: [
      'latency_ms',
      'checked_at',
      'failed_polls',
      'next_check_at',
      'skill_announced',
      'skill_credentials',
      'skill',
    ],
  },
]);

export class Gateway1770000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const tables = [...adapters, ...apps, ...inbound, ...deliveries, ...sources];
    const others = [createLimitTable('gateway'), ...createAuditTable('gateway'), ...announceChanges];
    for (const statement of [...tables, ...others]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(dropChangeTriggers('gateway'));
    for (const statement of [...dropAuditTable('gateway'), dropLimitTable('gateway')]) await runner.query(statement);
    await runner.query(
      `DROP TABLE gateway.source_document, gateway.source_change, gateway.sync_run, gateway.source,
         gateway.address_pace, gateway.delivery_attachment, gateway.delivery_part, gateway.delivery,
         gateway.inbound_wait, gateway.parsed_messages, gateway.webhook_renewal, gateway.app, gateway.skill_removal,
         gateway.conformance_run, gateway.adapter_health, gateway.manifest_version, gateway.adapter`,
    );
    await runner.query('DROP SEQUENCE gateway.app_version');
  }
}
