import { type ContentTrust, contentTrusts, isTrustedLess, leastTrusted, type ToolImage } from '#libs/contracts';
import { inSpan } from '#libs/telemetry';
import { randomBytes } from 'node:crypto';
import type { DecidedCall } from '../../entities/approval.entity.js';
import type { Claim } from '../../entities/turn.entity.js';
import type { ToolCall } from '../model/model.js';
import type { Conversation } from '../prompt/conversation.js';
import type { ArgumentCheck } from '../tools/argument-check.js';
import { digestOf } from '../tools/bound-credentials.js';
import { CalledTurnOpen } from '../tools/agent-tool.js';
import {
  type CallSite,
  CallWaits,
  failure,
  type GivenAttachments,
  isFailure,
  type Tool,
  type ToolFailure,
  type TurnScope,
} from '../tools/tool.js';
import { ApprovalNeeded, type AskedCall, beyondWindow, checkCall, type TurnPowers } from '../tools/turn-powers.js';
import {
  auditOf,
  type CallRecord,
  cleanResult,
  hashOf,
  inChunks,
  type PlannedCall,
  type RecordedCalls,
  refuseCall,
  rehearseCall,
  repeatCall,
  shownResult,
} from './call-result.js';
import { bytesIn, type OpenStep } from './replay.js';

export interface CallMakerInput extends CallRecord {
  turn: TurnScope;
  claim: Claim;
  powers: TurnPowers;
  check: ArgumentCheck;
  /** What the model is shown before the turn's own steps. */
  conversation: Pick<Conversation, 'trust'>;
  /** What the model is given of the event's attachments, and what not. */
  given: GivenAttachments;
  /** Where results come from in place of calls; null: calls are made. */
  recorded: RecordedCalls | null;
  /** Calls that were made in earlier claims and wait, by their references: they go on. */
  waiting: ReadonlySet<string>;
  /** Decisions on this turn's calls, by the call's reference. */
  approvals: Map<string, DecidedCall>;
  limits: { shown: number; kept: number; parallel: number; imageBytes: number };
  signal: AbortSignal;
  /** Called with what a long call is doing, for the timeline. */
  onProgress: (tool: string, progress: string) => void;
  /** Called when a result is trusted less than all that the window held. @param withheld tools that are not offered from then on */
  onLessTrusted: (tool: string, trust: ContentTrust, withheld: string[]) => void;
}

/** Makes the calls of one model step. */
export class CallMaker {
  /** The least trust of the results of this turn's calls. */
  readTrust: ContentTrust = 'own';

  /** Bytes of the images that the model is shown. */
  imageBytes = 0;

  constructor(private readonly input: CallMakerInput) {}

  /** The trust of everything that the model is shown now. */
  get window(): ContentTrust {
    return leastTrusted(this.input.conversation.trust, this.readTrust);
  }

  /** The tools that the model is shown now: none whose every call would be refused. */
  get offered(): Tool[] {
    const { powers, turn } = this.input;
    if (!turn.trusted || powers.nobody === null) return powers.tools.shown;
    return powers.tools.shown.filter((tool) => beyondWindow(this.window, tool.least, null) === null);
  }

  /** For the turn's first step: which tools its sender does not get, and which attachments the model does and does not. */
  firstFacts(): Record<string, unknown> {
    const { log, powers, given } = this.input;
    if (log.counted('model_call') > 0) return {};
    const { withheld } = powers;
    const attachments = {
      ...(given.files.length === 0 ? {} : { shown: given.files.map(({ id }) => id) }),
      ...(given.leftOut.length === 0 ? {} : { left_out: given.leftOut }),
    };
    return {
      ...(withheld === null ? {} : { withheld: withheld.names, withheld_since: withheld.why }),
      ...(Object.keys(attachments).length === 0 ? {} : { attachments }),
    };
  }

  /** A call as its tool is named and takes its arguments, if that is clear; else as the model wrote it. */
  read(call: ToolCall): ToolCall {
    const { powers, check } = this.input;
    const name = powers.tools.nameOf(call.name);
    const tool = powers.tools.callable(name);
    return tool ? { ...call, name, arguments: check.fitted(tool.parameters, call.arguments) } : { ...call, name };
  }

  /** Restores tools that a search in an earlier claim found. */
  reveal(names: string[]): void {
    this.input.powers.tools.reveal(names);
  }

  /**
   * Makes the calls of a step that have no result yet and fills `step.results`. Calls that need no approval are made
   * before the turn waits for the others.
   * @throws ApprovalNeeded, LeaseLost, or the signal's reason
   */
  async make(step: OpenStep): Promise<void> {
    const { log, limits } = this.input;
    const planned: PlannedCall[] = [];
    const asked: AskedCall[] = [];
    for (const call of step.calls) {
      if (step.results.has(call.id)) continue;
      const plan = this.plan(step, call);
      if ('error' in plan) refuseCall(log, step, call, plan);
      else if ('asked' in plan) asked.push(plan.asked);
      else if ('recorded' in plan) this.repeat(step, plan.recorded);
      else if ('rehearsed' in plan) rehearseCall(this.input, step, plan.rehearsed);
      else planned.push(plan);
    }
    for (const chunk of inChunks(planned, limits.parallel)) await this.makeTogether(step, chunk);
    await log.commit();
    if (asked.length > 0) throw new ApprovalNeeded(asked);
  }

  private plan(
    step: OpenStep,
    call: ToolCall,
  ): PlannedCall | { asked: AskedCall } | { rehearsed: PlannedCall } | { recorded: PlannedCall } | ToolFailure {
    const { guard, powers, check, approvals, turn } = this.input;
    const checked = checkCall(call, powers, check, turn.trusted ? step.window : 'own');
    const refused =
      'error' in checked
        ? guard.mistaken(call)
        : guard.refuse(call, checked.grade === 'read' && checked.tool.idempotent(checked.args));
    if (refused) return refused;
    const ref = `${step.seq}.${call.id}`;
    const begun = step.begun.has(call.id);
    const goesOn = 'tool' in checked && (checked.tool.resumes === true || this.input.waiting.has(ref));
    if (begun && ('error' in checked || !(goesOn || checked.tool.idempotent(checked.args)))) {
      return failure('outcome_unknown', 'The call was begun and interrupted: it may have had its effect.');
    }
    if ('error' in checked) return checked;
    const planned = { ...checked, call, ref };
    if (this.input.recorded) return { recorded: planned };
    const harmless = checked.grade === 'read' || checked.tool.rehearses === true;
    if (turn.rehearsal && (!harmless || checked.asks !== null)) return { rehearsed: planned };
    const { pin } = checked.tool;
    const decided = approvals.get(ref);
    if (decided?.state === 'approved') {
      if (decided.pin === pin) return planned;
      return failure('tool_changed', 'The call was not made: the tool has changed since it was approved.');
    }
    // Also where it would no longer be asked: what made it be asked may be gone by now.
    if (decided && decided.state !== 'pending') {
      return failure(`approval_${decided.state}`, `The call was not made: its approval was ${decided.state}.`);
    }
    if (checked.asks === null) return planned;
    return { asked: { ref, tool: call.name, pin, grade: checked.grade, reason: checked.asks, args: checked.args } };
  }

  /** Makes calls in parallel: their intents in one commit, then each result as it arrives. */
  private async makeTogether(step: OpenStep, chunk: PlannedCall[]): Promise<void> {
    const { log, signal } = this.input;
    signal.throwIfAborted();
    const sites = chunk.map((planned) => this.begin(step, planned));
    await log.commit();
    const ends = await Promise.allSettled(sites.map((site) => this.call(step, site)));
    const thrown = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
    if (thrown.length > 0) throw firstToSay(thrown);
  }

  private begin(step: OpenStep, planned: PlannedCall): Begun {
    const { call, tool, args, grade, ref } = planned;
    const { turn, claim, powers, signal } = this.input;
    const before = step.begun.get(call.id);
    const callbackToken = randomBytes(32).toString('base64url');
    const approved = this.input.approvals.get(ref)?.state === 'approved';
    const hosts = !approved && (step.window === 'untrusted' || !turn.trusted) ? powers.hosts : null;
    const waited = this.input.waiting.has(ref);
    const goesOn = tool.resumes === true || waited ? before : undefined;
    const seq =
      goesOn?.seq ??
      this.input.log.add(
        'tool_call',
        { call_id: call.id, name: call.name, arguments: call.arguments },
        {
          begun: {
            ...auditOf(planned),
            outcome: 'begun',
            callback_sha256: tool.source === 'python' ? digestOf(callbackToken) : null,
            hosts: tool.source === 'python' ? hosts : null,
          },
          ...(before === undefined ? {} : { settled: interrupted(before.seq) }),
        },
      );
    const mayDo = approved ? grade : powers.mayDo;
    const say = (progress: string): void => this.input.onProgress(call.name, progress);
    const { imageBytes: most } = this.input.limits;
    const show = (images: ToolImage[]): void => this.show(step, call, images);
    const shows = { imageBytes: Math.max(0, most - this.imageBytes), show };
    const site: CallSite = {
      turn,
      claim,
      ref,
      waited,
      mayDo,
      window: this.window,
      hosts,
      callbackToken,
      say,
      signal,
      ...shows,
    };
    const beforeMs = goesOn ? Math.max(0, Date.now() - goesOn.at.getTime()) : 0;
    return { call, tool, args, seq, site, beforeMs };
  }

  private async call(step: OpenStep, { call, tool, args, seq, site, beforeMs }: Begun): Promise<void> {
    const { log, limits, onCall, guard } = this.input;
    const startedMs = performance.now();
    const about = { 'gatehouse.tool': call.name, 'gatehouse.tool_source': tool.source };
    const given = await inSpan(`tool ${call.name}`, 'client', about, () => tool.run(args, site));
    const durationMs = beforeMs + performance.now() - startedMs;
    const { result, sanitized } = tool.external ? cleanResult(given, limits.kept) : { result: given, sanitized: null };
    const code = isFailure(result) ? result.error.code : null;
    const { shown, full } = shownResult(result, `result_${seq}`, limits);
    const trust = await trustOf(tool, result, site, args);
    const withheld = this.hasRead(call.name, trust);
    step.results.set(call.id, shown);
    const resultHash = hashOf(tool.compared ? tool.compared(result) : result);
    guard.ended(call, resultHash);
    const reveals = tool.reveals?.(result) ?? [];
    this.reveal(reveals);
    const documents = tool.documents?.(result) ?? [];
    log.add(
      'tool_result',
      {
        call_id: call.id,
        name: call.name,
        result: shown,
        ...(trust === 'own' ? {} : { trust }),
        ...(withheld.length === 0 ? {} : { withheld, withheld_since: this.input.powers.nobody }),
        result_hash: resultHash,
        ...(step.images.has(call.id) ? { images: step.images.get(call.id) } : {}),
        ...(documents.length === 0 ? {} : { documents }),
        ...(reveals.length === 0 ? {} : { reveals }),
        ...(sanitized === null ? {} : { sanitized }),
        ...(full === null ? {} : { handle: `result_${seq}`, full }),
      },
      { durationMs, settled: { seq, outcome: code ? 'error' : 'ok', code, duration_ms: durationMs } },
    );
    await log.commit();
    onCall(call.name, code ?? 'ok', durationMs, { note: tool.noted?.(result) ?? null, documents });
  }

  /** Parallel calls were each offered what was left, so the last of them may get less. */
  private show(step: OpenStep, { id }: ToolCall, images: ToolImage[]): void {
    const shown = images.filter(({ data }) => {
      const bytes = bytesIn(data);
      if (this.imageBytes + bytes > this.input.limits.imageBytes) return false;
      this.imageBytes += bytes;
      return true;
    });
    if (shown.length > 0) step.images.set(id, shown);
  }

  /** @returns the tools that are not offered from now on */
  private hasRead(name: string, trust: ContentTrust): string[] {
    const isLess = isTrustedLess(trust, this.window);
    const before = this.offered;
    this.readTrust = leastTrusted(this.readTrust, trust);
    if (!isLess) return [];
    const after = this.offered;
    const withheld = before.filter((tool) => !after.includes(tool)).map((tool) => tool.name);
    this.input.onLessTrusted(name, trust, withheld);
    return withheld;
  }

  /** The result that the same call had in the turn that is tried again. */
  private repeat(step: OpenStep, planned: PlannedCall): void {
    const { call } = planned;
    const before = this.input.recorded?.take(call) ?? null;
    if (before) {
      const trust = contentTrusts.find((each) => each === before['trust']) ?? 'own';
      this.hasRead(call.name, trust);
      if (Array.isArray(before['reveals'])) this.reveal(before['reveals'] as string[]);
    }
    repeatCall(this.input, step, planned, before);
  }
}

/** A failure counts before a wait, and of several waits the one that is looked at first. */
function firstToSay(thrown: unknown[]): unknown {
  const failed = thrown.find((reason) => !(reason instanceof CalledTurnOpen || reason instanceof CallWaits));
  const waits = thrown.filter((reason) => reason instanceof CallWaits).toSorted((a, b) => a.lookMs - b.lookMs);
  return failed ?? waits[0] ?? thrown[0];
}

interface Begun {
  call: ToolCall;
  tool: PlannedCall['tool'];
  args: Record<string, unknown>;
  seq: number;
  site: CallSite;
  /** How long it has been going on in earlier claims. */
  beforeMs: number;
}

/** We word the failures of our own tools. Servers and Python code word theirs, so those are trusted like their results. */
async function trustOf(
  tool: Tool,
  result: unknown,
  site: CallSite,
  args: Record<string, unknown>,
): Promise<ContentTrust> {
  if (!tool.external || (tool.source === 'builtin' && isFailure(result))) return 'own';
  return tool.trustOf ? tool.trustOf(result, site, args) : 'untrusted';
}

/** Settles the audit row of a call whose process died, since the call is now repeated. */
function interrupted(seq: number) {
  return { seq, outcome: 'error' as const, code: 'interrupted', duration_ms: null };
}
