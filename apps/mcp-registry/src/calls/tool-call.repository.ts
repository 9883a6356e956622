import type { Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, Repository } from 'typeorm';
import { ToolCall } from './tool-call.entity.js';

/** How a call ended. */
export type CallEnd = Pick<ToolCall, 'outcome' | 'result_bytes' | 'truncated' | 'duration_ms'>;

@Injectable()
export class ToolCallRepository {
  constructor(@InjectRepository(ToolCall) private readonly calls: Repository<ToolCall>) {}

  /** Stored before the call is made. If the process ends during the call, the record stays `started`. */
  async start(call: ToolCall): Promise<void> {
    await this.calls.insert(call);
  }

  async end(id: string, end: CallEnd): Promise<void> {
    await this.calls.update({ id }, end);
  }

  /** Newest first. */
  list(
    { organizationId, projectId }: Principal,
    toolId: string,
    limit: number,
    cursor: string | undefined,
  ): Promise<ToolCall[]> {
    return this.calls.find({
      where: {
        organization_id: organizationId,
        project_id: projectId,
        tool_id: toolId,
        ...(cursor ? { id: LessThan(cursor) } : {}),
      },
      order: { id: 'DESC' },
      take: limit,
    });
  }

  /** @returns how many expired records were deleted */
  async dropOld(keepDays: number, limit: number): Promise<number> {
    const [, count] = (await this.calls.query(
      `DELETE FROM registry.tool_call WHERE id IN
         (SELECT id FROM registry.tool_call WHERE at < now() - $1 * interval '1 day' ORDER BY at LIMIT $2)`,
      [keepDays, limit],
    )) as [unknown, number];
    return count;
  }
}
