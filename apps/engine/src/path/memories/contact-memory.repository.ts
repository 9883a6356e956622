import { type ContentTrust, newId, type ProjectScope } from '#libs/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { DataSource } from 'typeorm';
import type { ShownMemory } from '../../entities/compaction.entity.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';

/** Whose memory: an agent's, of one contact. */
export interface MemoryOwner extends ProjectScope {
  agentId: string;
  contactId: string;
}

interface NewMemory {
  text: string;
  content_trust: ContentTrust;
  turnId: string;
  receiptId: string;
  /** Null: it is kept until somebody deletes it. */
  days: number | null;
}

const valid = '(expires_at IS NULL OR expires_at > now())';

/** What agents remember of contacts, as their turns read and write it. */
@Injectable()
export class ContactMemories {
  constructor(
    private readonly db: DataSource,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /**
   * Stores a text once, whatever process dies.
   * @returns its id; null when the agent remembers too much of this contact
   */
  async remember(owner: MemoryOwner, memory: NewMemory): Promise<string | null> {
    const { organizationId, projectId, agentId, contactId } = owner;
    const key = createHash('sha256').update(memory.text).digest('hex');
    const [row] = (await this.db.query(
      `WITH made AS (
         INSERT INTO engine.contact_memory AS m (id, organization_id, project_id, agent_id, contact_id, text, key, content_trust,
                turn_id, receipt_id, expires_at)
         SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now() + $11 * interval '1 day'
          WHERE (SELECT count(*) FROM engine.contact_memory WHERE project_id = $3 AND contact_id = $5 AND agent_id = $4 AND ${valid}) < $12
         ON CONFLICT (project_id, contact_id, agent_id, key) DO UPDATE
            SET text = excluded.text, content_trust = excluded.content_trust, turn_id = excluded.turn_id,
                receipt_id = excluded.receipt_id, expires_at = excluded.expires_at, corrected_by = NULL, corrected_at = NULL
          WHERE m.expires_at <= now()
         RETURNING id)
       SELECT id FROM made UNION ALL
       SELECT id FROM engine.contact_memory WHERE project_id = $3 AND contact_id = $5 AND agent_id = $4 AND key = $7 AND ${valid}
       LIMIT 1`,
      [
        newId('mem'),
        organizationId,
        projectId,
        agentId,
        contactId,
        memory.text,
        key,
        memory.content_trust,
        memory.turnId,
        memory.receiptId,
        memory.days,
        this.settings.MEMORY_FACTS,
      ],
    )) as { id: string }[];
    return row?.id ?? null;
  }

  /** @returns false when the agent remembers nothing under this id of this contact */
  async forget({ organizationId, projectId, agentId, contactId }: MemoryOwner, id: string): Promise<boolean> {
    const [, deleted] = (await this.db.query(
      `DELETE FROM engine.contact_memory
        WHERE id = $1 AND organization_id = $2 AND project_id = $3 AND agent_id = $4 AND contact_id = $5`,
      [id, organizationId, projectId, agentId, contactId],
    )) as [unknown[], number];
    return deleted > 0;
  }

  /** The newest that fit into a prompt, oldest first. */
  async shown({ organizationId, projectId, agentId, contactId }: MemoryOwner): Promise<ShownMemory[]> {
    const newest = (await this.db.query(
      `SELECT id, text, content_trust FROM engine.contact_memory
        WHERE project_id = $1 AND contact_id = $2 AND agent_id = $3 AND organization_id = $4 AND ${valid}
        ORDER BY id DESC LIMIT $5`,
      [projectId, contactId, agentId, organizationId, this.settings.MEMORY_SHOWN],
    )) as ShownMemory[];
    let bytes = 0;
    const fitting = newest.filter(({ text }) => {
      bytes += Buffer.byteLength(text);
      return bytes <= this.settings.MEMORY_SHOWN_BYTES;
    });
    return fitting.toReversed();
  }
}
