import { createAuditTable, dropAuditTable } from '#libs/audit';
import { changeTriggers, dropChangeTriggers } from '#libs/database';
import { createLimitTable, dropLimitTable } from '#libs/project-limits';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { agents } from './tables/agents.js';
import { approvals } from './tables/approvals.js';
import { knowledge } from './tables/knowledge.js';
import { sessions } from './tables/sessions.js';
import { toolCalls } from './tables/tool-calls.js';
import { turns } from './tables/turns.js';
import { usage } from './tables/usage.js';

/** Every replica caches agents until it is notified of a change. */
const announcedChanges = changeTriggers('engine', [{ table: 'agent', topic: 'agents', key: 'project_id' }]);

export class Engine1770000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const tables = [...agents, ...sessions, ...turns, ...toolCalls, ...approvals, ...knowledge, ...usage];
    const others = [createLimitTable('engine'), ...createAuditTable('engine'), ...announcedChanges];
    for (const statement of [...tables, ...others]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(dropChangeTriggers('engine'));
    for (const statement of [...dropAuditTable('engine'), dropLimitTable('engine')]) await runner.query(statement);
    await runner.query(
      `DROP TABLE engine.model_usage, engine.usage, engine.synced_document, engine.relation, engine.mention,
         engine.entity, engine.chunk, engine.document, engine.approval, engine.python_try, engine.tool_call,
         engine.stale_handover, engine.handover_mark, engine.turn_slot, engine.step, engine.turn, engine.request_key,
         engine.workflow_release, engine.session_mark, engine.session, engine.agent`,
    );
  }
}
