import {
  builtinTools,
  type EventBody,
  type PythonEventAnswer,
  type PythonHttpAnswer,
  type PythonHttpRequest,
  scopeOf,
} from '#libs/contracts';
import type { Egress } from '#libs/egress';
import { Problem, ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { EGRESS, type EngineSettings, SETTINGS } from '../../settings.js';
import { ArgumentCheck } from '../../path/tools/argument-check.js';
import { CredentialReader } from '../../path/tools/bound-credentials.js';
import { httpArguments, request } from '../../path/tools/builtin/http-request.tool.js';
import { withOtherToken } from '../../path/tools/registry/given-token.js';
import { failure, isFailure, type ToolFailure } from '../../path/tools/tool.js';
import { type CallingBack, ToolCallRepository } from '../../path/steps/tool-call.repository.js';

const schema = builtinTools.find(({ name }) => name === 'http_request')?.input_schema ?? {};

/** Answers requests of Python tools on behalf of the call's turn, within its grade and a limited number of times. */
@Injectable()
export class PythonCallbackService {
  constructor(
    private readonly calls: ToolCallRepository,
    @Inject(EGRESS) private readonly egress: Egress,
    private readonly router: ServiceClient,
    private readonly check: ArgumentCheck,
    private readonly credentials: CredentialReader,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /** @throws Problem 401 when the call has ended or never existed */
  async request(token: string, asked: PythonHttpRequest): Promise<PythonHttpAnswer> {
    const call = await this.callOf(token);
    if (isFailure(call)) return call;
    const method = asked.method.toUpperCase();
    const args = {
      method,
      url: asked.url,
      headers: asked.headers ?? {},
      ...(asked.body == null ? {} : { body: asked.body }),
    };
    const problem = this.check.problem(schema, args);
    if (problem) return failure('invalid_arguments', problem);
    if (call.rehearsal && method !== 'GET') {
      return failure('rehearsal', 'Not executed: this is a rehearsal, in which a tool may only GET.');
    }
    const limits = { maxResponseBytes: this.settings.TOOL_RESULT_KEPT_BYTES, timeoutMs: this.settings.TOOL_TIMEOUT_MS };
    return request(this.egress, limits, httpArguments(args), {
      // A tool that declares itself read-only may only GET.
      mayDo: call.grade === 'none' ? 'read' : call.grade,
      hosts: call.hosts,
      signal: AbortSignal.timeout(limits.timeoutMs + 1_000),
      // A Python tool adds its credentials itself.
      credential: () => Promise.resolve(null),
      bindings: [],
      replaceRefused: (sent) => {
        const owner = scopeOf(call);
        return withOtherToken(sent, call.tokens ?? [], (token) => this.credentials.otherToken(owner, token));
      },
    });
  }

  /** The body of the event behind the call's turn. @throws Problem 401 as `request` */
  async event(token: string): Promise<PythonEventAnswer> {
    const call = await this.callOf(token);
    if (isFailure(call)) return call;
    const { event_id: id } = call;
    if (id === null) return failure('no_event', 'A call that is tried by hand has no event.');
    const scope = scopeOf(call);
    try {
      return { id, ...(await this.router.get<EventBody>(`/internal/events/${encodeURIComponent(id)}/body`, scope)) };
    } catch (error) {
      if (error instanceof Problem) return failure(error.code, error.detail);
      throw error;
    }
  }

  private async callOf(token: string): Promise<CallingBack | ToolFailure> {
    const call = await this.calls.countCallback(createHash('sha256').update(token).digest('hex'));
    if (!call) throw new Problem(401, 'not_authenticated', 'No call in flight has this token.');
    if (call.callbacks <= this.settings.TOOL_CALLBACKS) return call;
    return failure('too_many_requests', `One call makes at most ${this.settings.TOOL_CALLBACKS} requests.`);
  }
}
