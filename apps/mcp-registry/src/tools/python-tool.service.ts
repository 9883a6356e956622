import { columnsOf, newId, type PythonCompileAnswer } from '#libs/contracts';
import { notFound, type Principal, Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { AgentUsage } from '../agents/agent-usage.js';
import { PYTHON_RUNNER } from '../services.js';
import { pinOf, sha256, type ToolDefinition } from './tool-definition.js';
import { toolView } from './tool-view.js';
import type { ToolView } from './tool.dto.js';
import type { Tool } from './tool.entity.js';
import { NameTaken, ToolRepository } from './tool.repository.js';

/** Python tools: stored as source, and compiled by the runner on every save. */
@Injectable()
export class PythonToolService {
  constructor(
    private readonly tools: ToolRepository,
    @Inject(PYTHON_RUNNER) private readonly runner: ServiceClient,
    private readonly usage: AgentUsage,
  ) {}

  /** @throws Problem 422 `python_not_compiled` with each error at its line, 409 `name_taken`, 503 without a runner */
  async create(caller: Principal, source: string): Promise<ToolView> {
    const definition = await this.compile(caller, source);
    const now = new Date();
    const tool: Tool = {
      id: newId('tol'),
      ...columnsOf(caller),
      source: 'python',
      server_id: null,
      name: definition.name,
      state: 'approved',
      problem: null,
      definition,
      pin: pinOf(definition),
      candidate: null,
      candidate_pin: null,
      ...ungraded(definition),
      graded: false,
      trust: null,
      misses: 0,
      created_at: now,
      updated_at: now,
    };
    await unlessTaken(definition.name, this.tools.insert(tool, caller.subject));
    return toolView(tool);
  }

  /** @throws Problem as `create`, 404 `tool_not_found`, 409 `not_python` */
  async save(caller: Principal, id: string, source: string): Promise<ToolView> {
    await this.require(caller, id);
    const definition = await this.compile(caller, source);
    const write = this.tools.change(caller, id, (tool) => ({
      name: definition.name,
      definition,
      pin: pinOf(definition),
      ...(tool.graded ? {} : ungraded(definition)),
    }));
    const tool = await unlessTaken(definition.name, write);
    if (!tool) throw notFound('tool', id);
    return toolView(tool);
  }

  /** @throws Problem 404, 409 `not_python`, `tool_in_use` naming the Skills and agents that have it */
  async delete(caller: Principal, id: string): Promise<void> {
    await this.require(caller, id);
    const skills = await this.tools.skillsWith(id);
    const agents = await this.usage.of(caller, 'tool', id);
    if (skills.length + agents.length > 0) {
      const users = [...skills.map(({ name }) => `Skill ${name}`), ...agents.map(({ name }) => `agent ${name}`)];
      throw new Problem(409, 'tool_in_use', `The tool is used by: ${users.join(', ')}. Remove it there first.`);
    }
    await this.tools.delete(caller, id);
  }

  private async require(caller: Principal, id: string): Promise<void> {
    const tool = await this.tools.find(caller, id);
    if (!tool) throw notFound('tool', id);
    if (tool.source === 'python') return;
    throw new Problem(
      409,
      'not_python',
      `The tool ${tool.name} belongs to an MCP server and can only be changed there.`,
    );
  }

  private async compile(caller: Principal, source: string): Promise<ToolDefinition> {
    const answer = await this.runner.post<PythonCompileAnswer>('/internal/compile', caller, { source });
    if (!answer.ok) {
      throw new Problem(
        422,
        'python_not_compiled',
        'The source is not a valid tool: see the errors and their lines.',
        answer.errors.map(({ line, column, message, code }) => ({
          field: `source:${line}:${column}`,
          message: `${message} (${code})`,
        })),
      );
    }
    const { name, description, input_schema, uses } = answer;
    return { name, description, input_schema, python: { source, source_sha256: sha256(source), function: name, uses } };
  }
}

/** The grade of a tool that no person graded: one that reaches nothing changes nothing. */
function ungraded({ python }: ToolDefinition): Pick<Tool, 'grade' | 'idempotent'> {
  const reaches = python?.uses.http === true;
  return { grade: reaches ? 'write' : 'read', idempotent: !reaches };
}

async function unlessTaken<T>(name: string, write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (!(error instanceof NameTaken)) throw error;
    throw new Problem(409, 'name_taken', `Another Python tool is already named ${name}: rename the function.`);
  }
}
