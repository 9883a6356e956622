import { columnsOf, type CredentialBinding, newId, type PythonTryAnswer, type PythonTryRequest } from '#libs/contracts';
import { notFound, type Principal, Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { ToolCallRepository } from '../calls/tool-call.repository.js';
import { ToolCallService } from '../calls/tool-call.service.js';
import { requireCredentialRights } from '../credentials/may-use-credentials.js';
import { TRIES } from '../services.js';
import { canonicalJson, sha256, type ToolDefinition } from '../tools/tool-definition.js';
import { builtinOf } from '../tools/tool-view.js';
import type { TryAnswer, TryTool } from '../tools/tool.dto.js';
import type { Tool } from '../tools/tool.entity.js';
import { ToolRepository } from '../tools/tool.repository.js';
import { TriedSkill } from './tried-skill.js';

const mostNames = 50;
const mostNameChars = 100;

/** Calls tools by hand with the definition in effect: MCP tools from here, Python tools through the engine. */
@Injectable()
export class ToolTryService {
  constructor(
    private readonly tools: ToolRepository,
    private readonly skill: TriedSkill,
    private readonly records: ToolCallRepository,
    private readonly calls: ToolCallService,
    @Inject(TRIES) private readonly engine: ServiceClient,
  ) {}

  /** @throws Problem 404 `tool_not_found`, 409 `built_in`, 422 `invalid_fields`; of Python tools 403 `scope_missing` */
  async run(caller: Principal, id: string, body: TryTool, signal?: AbortSignal): Promise<TryAnswer> {
    if (builtinOf(id)) throw new Problem(409, 'built_in', 'Built-in tools can only be called in turns.');
    const tool = await this.tools.find(caller, id);
    if (!tool) throw notFound('tool', id);
    const callId = `try_${randomUUID()}`;
    const answer = await this.called(caller, tool, body, callId, signal);
    await this.tools.noteTry(caller, tool, triedOf(tool, callId, body, answer));
    return answer;
  }

  private async called(
    caller: Principal,
    tool: Tool,
    body: TryTool,
    callId: string,
    signal: AbortSignal | undefined,
  ): Promise<TryAnswer> {
    const { skill_id: skillId, ...call } = body;
    const credentials = skillId === undefined ? [] : await this.skill.credentialsOf(caller, skillId, tool.id);
    if (tool.source === 'mcp') {
      // A person's tries go on with what the person has opened, apart from every conversation.
      const conversation = `try ${caller.subject}`.slice(0, 100);
      const asked = { ...call, tool_id: tool.id, pin: tool.pin ?? '', call_id: callId, conversation };
      return this.calls.call(caller, asked, signal);
    }
    // A tool's source can print its arguments and credentials, so trying it with a Skill's credentials takes rights on
    // those.
    if (credentials.length > 0) requireCredentialRights(caller);
    return this.recorded(caller, tool, this.request(tool, callId, body, credentials));
  }

  private request(
    { id, name, grade, definition }: Tool,
    callId: string,
    body: TryTool,
    credential_bindings: CredentialBinding[],
  ): PythonTryRequest {
    const python = sourceOf(name, definition);
    return {
      call_id: callId,
      tool_id: id,
      grade,
      python,
      input_schema: definition?.input_schema ?? { type: 'object' },
      arguments: body.arguments,
      ...(body.timeout_ms === undefined ? {} : { timeout_ms: body.timeout_ms }),
      credential_bindings,
    };
  }

  private async recorded(caller: Principal, tool: Tool, request: PythonTryRequest): Promise<TryAnswer> {
    const id = newId('tcl');
    await this.records.start({
      id,
      ...columnsOf(caller),
      server_id: null,
      tool_id: tool.id,
      tool_name: tool.name,
      pin: tool.pin ?? '',
      call_id: request.call_id,
      caller: caller.subject,
      arguments_sha256: sha256(canonicalJson(request.arguments)),
      outcome: 'started',
      result_bytes: 0,
      truncated: false,
      duration_ms: 0,
      at: new Date(),
    });
    const startMs = performance.now();
    const answer = await this.asked(caller, request);
    await this.records.end(id, {
      outcome: answer.ok ? 'ok' : answer.error,
      result_bytes: answer.ok ? Buffer.byteLength(JSON.stringify(answer.result ?? null)) : 0,
      truncated: answer.ok && answer.truncated,
      duration_ms: performance.now() - startMs,
    });
    return answer;
  }

  private async asked(caller: Principal, request: PythonTryRequest): Promise<PythonTryAnswer> {
    try {
      return await this.engine.post<PythonTryAnswer>('/internal/python-tries', caller, request);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { ok: false, error: error.code, message: error.detail, stdout: '' };
    }
  }
}

function sourceOf(name: string, definition: ToolDefinition | null): PythonTryRequest['python'] {
  if (!definition?.python) throw new Problem(409, 'tool_not_approved', `The tool ${name} has no source.`);
  const { source, source_sha256, function: called } = definition.python;
  return { source, source_sha256, function: called };
}

/** What the audit log keeps of a trial: arguments by their names, since their values may be anything. */
function triedOf({ name, grade }: Tool, call_id: string, { arguments: args, skill_id }: TryTool, answer: TryAnswer) {
  const names = Object.keys(args);
  return {
    name,
    grade,
    call_id,
    arguments: names.slice(0, mostNames).map((one) => one.slice(0, mostNameChars)),
    arguments_bytes: Buffer.byteLength(JSON.stringify(args)),
    ...(skill_id === undefined ? {} : { skill_id }),
    outcome: answer.ok ? (answer.is_error ? 'tool_error' : 'ok') : (answer.error ?? 'failed'),
  };
}
