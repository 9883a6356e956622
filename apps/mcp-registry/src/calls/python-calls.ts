import type { Principal, ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { ENGINE } from '../services.js';
import type { Tool } from '../tools/tool.entity.js';
import type { CallOfToolView } from './tool-call.dto.js';

/** As the engine records a call of a Python tool. */
interface PythonCall {
  turn_id: string;
  seq: number;
  agent_id: string;
  tool: string;
  arguments_sha256: string;
  outcome: 'begun' | 'ok' | 'error' | 'refused' | 'rehearsed';
  code: string | null;
  duration_ms: number | null;
  created_at: string;
}

/** Turns call Python tools without the registry, so the engine is asked for those calls. */
@Injectable()
export class PythonCalls {
  constructor(@Inject(ENGINE) private readonly engine: ServiceClient) {}

  /**
   * Newest first.
   * @param before the part of an id after its kind; undefined: from the newest on
   * @throws Problem 503 when the engine does not answer
   */
  async list(caller: Principal, tool: Tool, limit: number, before: string | undefined): Promise<CallOfToolView[]> {
    const [turn = '', seq = '0'] = before?.split('.') ?? [];
    const query = new URLSearchParams({ tool_id: tool.id, limit: String(limit) });
    if (before !== undefined) {
      query.set('turn_id', `trn_${turn}`);
      query.set('seq', String(Number(seq)));
    }
    const { calls } = await this.engine.get<{ calls: PythonCall[] }>(
      `/internal/python-calls?${query.toString()}`,
      caller,
    );
    return calls.map((call) => shown(call, tool));
  }
}

function shown(call: PythonCall, { id, organization_id, project_id }: Tool): CallOfToolView {
  const outcome =
    call.outcome === 'begun' ? 'started' : call.outcome === 'error' ? (call.code ?? 'error') : call.outcome;
  return {
    id: `${call.turn_id}.${call.seq}`,
    organization_id,
    project_id,
    server_id: null,
    tool_id: id,
    tool_name: call.tool,
    pin: null,
    call_id: `${call.turn_id}.${call.seq}`,
    caller: `agent:${call.agent_id}`,
    arguments_sha256: call.arguments_sha256,
    outcome,
    result_bytes: null,
    truncated: null,
    duration_ms: call.duration_ms ?? 0,
    at: new Date(call.created_at),
  };
}
