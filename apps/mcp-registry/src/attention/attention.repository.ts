import { attentionAtMost, type AttentionItem, type ProjectScope } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Health } from '../entities/mcp-server.entity.js';

interface Server {
  id: string;
  name: string;
  health: Health;
  health_reason: string | null;
  waiting: number;
}

/** What does not work in a project's MCP servers, or waits for a person. */
@Injectable()
export class AttentionRepository {
  constructor(private readonly db: DataSource) {}

  async of({ organizationId, projectId }: ProjectScope): Promise<AttentionItem[]> {
    const servers = (await this.db.query(
      `SELECT s.id, s.name, s.health, s.health_reason, count(t.id)::integer AS waiting FROM registry.mcp_server s
         LEFT JOIN registry.tool t ON t.server_id = s.id AND t.state IN ('pending', 'changed', 'quarantined')
        WHERE s.organization_id = $1 AND s.project_id = $2 GROUP BY s.id
       HAVING s.health IN ('auth_failed', 'degraded') OR count(t.id) > 0 ORDER BY s.id LIMIT $3`,
      [organizationId, projectId, attentionAtMost],
    )) as Server[];
    return servers.flatMap(ofServer);
  }
}

function ofServer({ id, name, health, health_reason: reason, waiting }: Server): AttentionItem[] {
  const common = { resource: { kind: 'mcp_server' as const, id }, since: null, scope: 'tools:read' as const };
  const items: AttentionItem[] = [];
  if (health === 'auth_failed' || health === 'degraded') {
    const what = health === 'auth_failed' ? 'refuses its credential' : 'does not answer correctly';
    items.push({
      ...common,
      code: health === 'auth_failed' ? 'mcp_auth_failed' : 'mcp_degraded',
      severity: 'error',
      text: `${name} ${what}${reason === null ? '' : `: ${reason}`}.`,
      what_to_do: health === 'auth_failed' ? 'Connect or replace its credential.' : 'Check whether the server runs.',
      count: 1,
    });
  }
  if (waiting > 0) {
    items.push({
      ...common,
      code: 'mcp_tools_wait',
      severity: 'warning',
      text: `${name}: ${waiting} ${waiting === 1 ? 'tool is' : 'tools are'} new or changed, and cannot be called until approved.`,
      what_to_do: 'Review the changes, and approve the right ones.',
      count: waiting,
    });
  }
  return items;
}
