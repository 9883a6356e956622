import { builtinTools, type ProjectScope, type ToolGrade, toolGrades } from '#libs/contracts';
import { notFound, type Page, pageOf, type Principal, Problem, requireApprovalsManage } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { requireRightToTrust } from '../servers/registration.service.js';
import { ServerRepository } from '../servers/server.repository.js';
import { hintedGrade } from './tool-definition.js';
import { builtinOf, builtinView, toolView } from './tool-view.js';
import type { ChangeTool, ToolDifference, ToolQuery, ToolVersionList, ToolView, DefinitionChange } from './tool.dto.js';
import type { Tool } from './tool.entity.js';
import { ToolRepository } from './tool.repository.js';

/** The catalogue of built-in, MCP and Python tools, and the approval of servers' changes. */
@Injectable()
export class ToolService {
  constructor(
    private readonly tools: ToolRepository,
    private readonly servers: ServerRepository,
  ) {}

  /** Newest first. Built-in tools precede the first page and do not count towards its limit. */
  async list(caller: Principal, query: ToolQuery): Promise<Page<ToolView>> {
    const { source, state, server_id, limit, cursor, search } = query;
    const part = search?.toLowerCase() ?? '';
    const first = !cursor && (state ?? 'approved') === 'approved' && !server_id;
    const builtin =
      first && (source ?? 'builtin') === 'builtin'
        ? builtinTools.filter(({ name }) => name.toLowerCase().includes(part)).map(builtinView)
        : [];
    if (source === 'builtin') return { data: builtin, next_cursor: null };
    const filter = { ...(source ? { source } : {}), ...(state ? { state } : {}), ...(server_id ? { server_id } : {}) };
    const page = pageOf(await this.tools.list(caller, filter, limit + 1, cursor, search), limit, (tool) => tool.id);
    return { data: [...builtin, ...page.data.map(toolView)], next_cursor: page.next_cursor };
  }

  async view(caller: Principal, id: string): Promise<ToolView> {
    const builtin = builtinOf(id);
    return builtin ? builtinView(builtin) : toolView(await this.get(caller, id));
  }

  /** What approval would change. */
  async difference(caller: Principal, id: string): Promise<ToolDifference> {
    const { pin, candidate_pin, definition, candidate } = await this.get(caller, id);
    return { pin, candidate_pin, changes: candidate ? differenceOf(definition ?? {}, candidate) : [] };
  }

  /**
   * Makes the server's candidate the definition in effect.
   * @throws Problem 409 `nothing_to_approve`, `candidate_changed`; 403 `scope_missing` where its hints lower the grade
   */
  async approve(caller: Principal, id: string, pin: string): Promise<ToolView> {
    return this.change(caller, id, (tool) => {
      if (!tool.candidate || !tool.candidate_pin) {
        throw new Problem(
          409,
          'nothing_to_approve',
          `The tool ${tool.name} is ${tool.state}: nothing waits for approval.`,
        );
      }
      if (tool.candidate_pin !== pin) {
        throw new Problem(409, 'candidate_changed', `The server changed ${tool.name} again: review the new change.`);
      }
      return {
        state: 'approved',
        definition: tool.candidate,
        pin,
        candidate: null,
        candidate_pin: null,
        ...(tool.graded ? {} : hintedGrade(tool.candidate)),
      };
    });
  }

  /** @throws Problem 404; 403 `scope_missing` for a lower grade or more trust, which let agents do more without approval */
  async grade(caller: Principal, id: string, { grade, idempotent, trust }: ChangeTool): Promise<ToolView> {
    const { server_id: serverId } = await this.get(caller, id);
    const server = serverId === null ? null : await this.servers.find(caller, serverId);
    const ofServer = server?.trust ?? 'untrusted';
    return this.change(caller, id, (tool) => {
      if (trust !== undefined) {
        requireRightToTrust(caller, `the tool ${tool.name}`, trust ?? ofServer, tool.trust ?? ofServer);
      }
      return {
        grade: grade ?? tool.grade,
        idempotent: idempotent ?? tool.idempotent,
        graded: tool.graded || grade !== undefined || idempotent !== undefined,
        ...(trust === undefined ? {} : { trust }),
      };
    });
  }

  async versions(caller: Principal, id: string): Promise<ToolVersionList> {
    await this.get(caller, id);
    const rows = await this.tools.versions(id);
    return {
      data: rows.map(({ number, pin, definition, approved_by, approved_at }) => ({
        number,
        pin,
        definition,
        approved_by,
        approved_at: approved_at.toISOString(),
      })),
    };
  }

  /** @throws Problem 404 `tool_not_found` */
  async get(caller: ProjectScope, id: string): Promise<Tool> {
    const tool = await this.tools.find(caller, id);
    if (!tool) throw notFound('tool', id);
    return tool;
  }

  private async change(caller: Principal, id: string, change: (tool: Tool) => Partial<Tool>): Promise<ToolView> {
    const tool = await this.tools.change(caller, id, (row) => {
      const changed = change(row);
      requireRightToGrade(caller, row, changed.grade ?? row.grade);
      return changed;
    });
    if (!tool) throw notFound('tool', id);
    return toolView(tool);
  }
}

/**
 * A tool that was never approved is in no agent's hands, so its first grade cannot skip an approval that was needed
 * before.
 */
function requireRightToGrade(caller: Principal, { name, grade, pin }: Tool, to: ToolGrade): void {
  if (toolGrades.indexOf(to) >= toolGrades.indexOf(grade) || pin === null) return;
  requireApprovalsManage(caller, `Grading the tool ${name} ${to} instead of ${grade}`);
}

/** Where two JSON values differ, leaf by leaf, by JSON Pointer (RFC 6901). */
function differenceOf(before: unknown, after: unknown, path = ''): DefinitionChange[] {
  if (isNested(before) && isNested(after) && Array.isArray(before) === Array.isArray(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].sort().flatMap((name) => {
      const place = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      return differenceOf(before[name], after[name], place);
    });
  }
  if (Object.is(before, after)) return [];
  return [{ path, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }];
}

function isNested(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
