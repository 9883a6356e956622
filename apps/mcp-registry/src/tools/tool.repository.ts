import { AuditLog } from '#libs/audit';
import { columnsOf, type ProjectScope } from '#libs/contracts';
import { containing, type Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, ILike, In, LessThan, QueryFailedError } from 'typeorm';
import { SkillTool } from '../entities/skill-tool.entity.js';
import { Tool, type ToolState, ToolVersion } from './tool.entity.js';

export interface ToolFilter {
  source?: 'mcp' | 'python';
  state?: ToolState;
  server_id?: string;
}

/** Another Python tool of the project has this name. */
export class NameTaken extends Error {}

@Injectable()
export class ToolRepository {
  constructor(
    private readonly source: DataSource,
    private readonly audit: AuditLog,
  ) {}

  /** Newest first. */
  list(scope: ProjectScope, filter: ToolFilter, limit: number, cursor?: string, search?: string): Promise<Tool[]> {
    return this.source.manager.find(Tool, {
      where: {
        ...columnsOf(scope),
        ...filter,
        ...(cursor ? { id: LessThan(cursor) } : {}),
        ...(search ? { name: ILike(containing(search)) } : {}),
      },
      order: { id: 'DESC' },
      take: limit,
    });
  }

  find(scope: ProjectScope, id: string): Promise<Tool | null> {
    return this.source.manager.findOneBy(Tool, { ...columnsOf(scope), id });
  }

  findAll(scope: ProjectScope, ids: string[]): Promise<Tool[]> {
    return this.source.manager.findBy(Tool, { ...columnsOf(scope), id: In(ids) });
  }

  /**
   * Changes a tool under lock: `change` gets the current row and returns the changes. A new pin is stored as a version,
   * and a new grade is noted in the audit log.
   * @returns null when there is no such tool
   * @throws NameTaken and what `change` throws
   */
  async change(caller: Principal, id: string, change: (tool: Tool) => Partial<Tool>): Promise<Tool | null> {
    return this.source.transaction(async (manager) => {
      const tool = await manager.findOne(Tool, {
        where: { ...columnsOf(caller), id },
        lock: { mode: 'pessimistic_write' },
      });
      if (!tool) return null;
      const changed: Tool = { ...tool, ...change(tool), updated_at: new Date() };
      await unlessTaken(manager.save(Tool, changed as object));
      if (changed.pin !== tool.pin) await addVersion(manager, changed, caller.subject);
      if (changed.grade !== tool.grade) {
        const [before, after] = [tool, changed].map(({ name, grade, pin }) => ({ name, grade, pin }));
        const audited = { action: 'tool.regraded' as const, subject: id, before: before ?? null, after: after ?? null };
        await this.audit.append(manager, caller, audited);
      }
      if (changed.trust !== tool.trust) {
        const [before, after] = [tool, changed].map(({ name, trust }) => ({ name, trust }));
        const audited = {
          action: 'tool.trust_set' as const,
          subject: id,
          before: before ?? null,
          after: after ?? null,
        };
        await this.audit.append(manager, caller, audited);
      }
      return changed;
    });
  }

  /** Notes a trial call, which changes no row here: what it did is the tool's. @param after how it was called and ended */
  async noteTry(caller: Principal, { id }: Tool, after: object): Promise<void> {
    await this.audit.append(this.source, caller, { action: 'tool.tried', subject: id, before: null, after });
  }

  /** @throws NameTaken */
  async insert(tool: Tool, by: string): Promise<void> {
    await this.source.transaction(async (manager) => {
      await unlessTaken(manager.insert(Tool, tool as object));
      await addVersion(manager, tool, by);
    });
  }

  /** Removes it from its Skills as well. */
  async delete(scope: ProjectScope, id: string): Promise<void> {
    await this.source.transaction(async (manager) => {
      await manager.delete(SkillTool, { tool: id });
      await manager.delete(Tool, { ...columnsOf(scope), id });
    });
  }

  versions(toolId: string): Promise<ToolVersion[]> {
    return this.source.manager.find(ToolVersion, { where: { tool_id: toolId }, order: { number: 'DESC' }, take: 100 });
  }

  /** The Skills that a tool is in, by name. */
  async skillsWith(toolId: string): Promise<{ id: string; name: string }[]> {
    return (await this.source.query(
      `SELECT s.id, s.name FROM registry.skill_tool t JOIN registry.skill s ON s.id = t.skill_id WHERE t.tool = $1 ORDER BY s.name`,
      [toolId],
    )) as { id: string; name: string }[];
  }
}

async function unlessTaken(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (error instanceof QueryFailedError && error.message.includes('tool_python_name')) throw new NameTaken();
    throw error;
  }
}

/** Stores the definition that is in effect from now on as a new version. */
export async function addVersion(manager: EntityManager, tool: Tool, by: string): Promise<void> {
  if (!tool.definition || !tool.pin) return;
  const number = (await manager.countBy(ToolVersion, { tool_id: tool.id })) + 1;
  const { definition, pin } = tool;
  const version = { tool_id: tool.id, number, pin, definition, approved_by: by, approved_at: new Date() };
  await manager.insert(ToolVersion, version as object);
}
