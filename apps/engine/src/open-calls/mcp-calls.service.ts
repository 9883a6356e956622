import {
  columnsOf,
  type McpCallAnswer,
  type McpCallContinued,
  type McpCallProgress,
  type McpCallWaits,
  scopeOf,
  type ToolsetTool,
} from '#libs/contracts';
import type { ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import type { OpenCall } from '../entities/open-call.entity.js';
import { refusalOf, unlessAborted } from '../path/tools/registry/registry-tool.js';
import { type CallSite, CallWaits, conversationOf, type McpCallEnd, type McpCalls } from '../path/tools/tool.js';
import { type EngineSettings, REGISTRY, SETTINGS } from '../settings.js';
import { ContactQuestions } from './contact-questions.js';
import { OpenCallRepository, openCallId } from './open-call.repository.js';
import { failedTriesOf, type Kept, keptCall, lookMsOf, pauseMsOf } from './kept-call.js';
import { ReportedWords } from './reported-words.js';

/** On top of the registry's own limit, so that the registry can end the call and say why. */
const graceMs = 5_000;
/** A message that cannot be handed over now is handed over again after this time. */
const awayMs = 5_000;

const fail = (error: string, message: string): McpCallEnd => ({ ok: false, error, message });
const unknown = fail(
  'outcome_unknown',
  'The call was interrupted after its server had the answers: it may have had its effect.',
);

/**
 * Calls of MCP tools, through the registry, which has the sessions and the credentials. A call that waits is a row: what
 * the server wants back, what the user answered. Whoever claims the turn goes on with it. Only a call that has got its
 * answers may have an effect, so those are marked before they are sent, and sent once.
 */
@Injectable()
export class McpCallService implements McpCalls {
  private readonly reported = new ReportedWords();

  constructor(
    private readonly rows: OpenCallRepository,
    private readonly questions: ContactQuestions,
    @Inject(REGISTRY) private readonly registry: ServiceClient,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  async ofTurn(turnId: string): Promise<ReadonlySet<string>> {
    return new Set(await this.rows.refsOf(turnId));
  }

  async wakeAnswered(turnId: string): Promise<void> {
    await this.questions.wake(turnId, true);
  }

  /** @throws CallWaits */
  async make(definition: ToolsetTool, args: Record<string, unknown>, call: CallSite): Promise<McpCallEnd> {
    const open = call.waited ? await this.rows.find(openCallId(call.turn.turnId, call.ref)) : null;
    if (open) return this.goOn(open, { definition, args, call });
    const answer = await this.ask({ definition, args, call }, {});
    return this.heard(answer, null, { definition, args, call });
  }

  /** @throws CallWaits */
  private async goOn(open: OpenCall, made: Made): Promise<McpCallEnd> {
    const { definition, call } = made;
    if (open.state === 'ended' || (open.state === 'sending' && !definition.idempotent)) return unknown;
    const isLate = open.expires_at.getTime() <= Date.now();
    if (open.state === 'asking' || open.state === 'asked') {
      if (isLate) return this.closeQuestions(open, call);
      if (open.state === 'asking') return this.askUser(open, call);
      throw waitFor(open);
    }
    const { answers, request_state: state, task_id: taskId } = open;
    const given = {
      ...(answers === null ? {} : { answers }),
      ...(state === null ? {} : { state }),
      ...(taskId === null ? {} : { task_id: taskId }),
    };
    // A task takes the same answers any number of times.
    if (taskId === null && !(await this.rows.sending(call.claim, open.id))) return unknown;
    // Answers that came in time go to the server whenever that is, and a task whose time is over is looked at once more.
    const answer = await this.ask(made, given);
    if (!answer.ok && this.mayRetry(answer, open, isLate)) return this.tryLater(answer, open, call);
    if (taskId !== null && isLate && answer.ok && 'waits' in answer) return tooLate(open);
    return this.heard(answer, open, made);
  }

  /** The server is away and has not got it, or it is a task, which is only looked at. */
  private mayRetry(answer: Failure, open: OpenCall, isLate: boolean): boolean {
    if (open.task_id !== null) return !isLate && (answer.retryable || answer.error === 'outcome_unknown');
    return answer.retryable && failedTriesOf(open) + 1 < this.settings.CALL_SEND_TRIES;
  }

  /** @throws CallWaits, LeaseLost */
  private async tryLater({ error, message }: Failure, open: OpenCall, call: CallSite): Promise<never> {
    const { id, tool, server_name: server } = open;
    const pauseMs = pauseMsOf(open);
    await this.rows.notSent(call.claim, id, pauseMs);
    this.say(call, id, `${server} is tried again: ${error}: ${message}`);
    throw new CallWaits(tool, pauseMs, { server, error });
  }

  /** @throws CallWaits when an answer has come at the last moment; LeaseLost */
  private async closeQuestions(open: OpenCall, { claim }: CallSite): Promise<McpCallEnd> {
    if (await this.rows.close(claim, open.id)) return tooLate(open);
    throw new CallWaits(open.tool, 0, { server: open.server_name });
  }

  /** For the timeline, unless it has that already: a call is looked at again and again. */
  private say(call: CallSite, id: string, words: string): void {
    if (this.reported.isNew(id, words)) call.say(words);
  }

  /** @throws CallWaits */
  private async heard(answer: McpCallAnswer, before: OpenCall | null, made: Made): Promise<McpCallEnd> {
    if (!answer.ok || !('waits' in answer)) return answer;
    const { call, definition } = made;
    const kept = this.kept(answer.waits, before, call, definition);
    if (kept === 'too_many') {
      const { CALL_INPUT_ROUNDS: most } = this.settings;
      return fail(
        'too_many_rounds',
        `${answer.waits.server.name} asked the user ${most} times (CALL_INPUT_ROUNDS) and has not answered.`,
      );
    }
    await this.rows.keep(call.claim, kept);
    const row = { ...kept, answers: null, created_at: new Date(), ended_at: null };
    if (row.state === 'asking') return this.askUser(row, call);
    if (answer.waits.task?.words) this.say(call, row.id, answer.waits.task.words);
    throw waitFor(row);
  }

  private kept(
    waits: McpCallWaits,
    before: OpenCall | null,
    { turn, ref }: CallSite,
    { id: toolId, pin, model_name: tool }: ToolsetTool,
  ): Kept {
    const call = {
      id: openCallId(turn.turnId, ref),
      ...columnsOf(turn),
      agent_id: turn.agentId,
      turn_id: turn.turnId,
      receipt_id: turn.receiptId,
      app_id: turn.appId,
      call_ref: ref,
      contact_id: turn.contactId,
      tool,
      tool_id: toolId,
      tool_pin: pin,
    };
    return keptCall(call, waits, before, { settings: this.settings, token: randomBytes(24).toString('base64url') });
  }

  /** @throws CallWaits once the user is asked, or for the next try; LeaseLost */
  private async askUser(open: OpenCall, { claim }: CallSite): Promise<McpCallEnd> {
    const refusal = await this.questions.ask(open);
    if (refusal === 'away') throw new CallWaits(open.tool, awayMs, { server: open.server_name });
    if (refusal !== null) {
      return fail(
        'nobody_to_ask',
        `${open.server_name} asks the user for something, and the user cannot be asked: ${refusal}.`,
      );
    }
    await this.rows.asked(claim, open.id);
    throw waitFor(open);
  }

  /** Tells a server that nobody waits for its task. It may go on all the same. @returns false: it has not heard of it */
  async cancelTask(open: OpenCall): Promise<boolean> {
    const body = {
      tool_id: open.tool_id,
      pin: open.tool_pin,
      arguments: {},
      call_id: `${open.turn_id}.${open.call_ref}`,
      continued: { task_id: open.task_id, cancel: true },
    };
    const answer = await this.registry.post<McpCallAnswer>('/internal/tool-calls', scopeOf(open), body);
    return answer.ok || heardOf.has(answer.error);
  }

  private async ask({ definition, args, call }: Made, continued: McpCallContinued): Promise<McpCallAnswer> {
    const { turn, ref, signal, say, imageBytes } = call;
    const { call_max_ms: maxMs } = definition;
    const body = {
      tool_id: definition.id,
      pin: definition.pin,
      arguments: args,
      call_id: `${turn.turnId}.${ref}`,
      conversation: conversationOf(turn),
      ...(imageBytes > 0 ? { image_bytes: imageBytes } : {}),
      ...(turn.rehearsal ? {} : { may_wait: true, ...(turn.contactId === null ? {} : { may_ask: true }) }),
      ...(Object.keys(continued).length === 0 ? {} : { continued }),
    };
    const asked = this.registry.follow<McpCallAnswer>('/internal/tool-calls', turn, body, {
      signal,
      onLine: (line) => say((line as McpCallProgress).progress),
      ...(maxMs === undefined ? {} : { timeoutMs: maxMs + graceMs }),
    });
    return unlessAborted(asked, signal).catch((error: unknown) => ({ ...refusalOf(error), retryable: false }));
  }
}

type Failure = McpCallAnswer & { ok: false };

/** The server stops, knows no such task or will not stop; or there is no such server any more. */
const heardOf = new Set(['cancelled', 'refused', 'tool_not_found']);

function tooLate({ server_name: server, state }: OpenCall): McpCallEnd {
  if (state === 'asked') {
    return fail('input_timeout', `The user did not answer in time what ${server} asked. The call was not completed.`);
  }
  if (state === 'asking') {
    return fail(
      'input_timeout',
      `The user could not be asked in time what ${server} asks. The call was not completed.`,
    );
  }
  const who = state === 'answered' ? `${server} has what the user answered, but` : server;
  return fail('task_timeout', `${who} did not finish the task in time (CALL_TASK_WAIT_MS). It is asked to stop.`);
}

/** A call and what it needs, in each claim of its turn. */
interface Made {
  definition: ToolsetTool;
  args: Record<string, unknown>;
  call: CallSite;
}

function waitFor(open: OpenCall): CallWaits {
  const { server_name: server, task_id: task, expires_at: until } = open;
  const what = open.state === 'task' ? { task } : { asked: Object.keys(open.questions ?? {}).length };
  return new CallWaits(open.tool, lookMsOf(open), { server, ...what, until: until.toISOString() });
}
