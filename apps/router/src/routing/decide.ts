import type { NormalizedMessage, ReplyTarget, TerminalOutcome } from '#libs/contracts';
import type { ChannelRow } from '../channels/channel.entity.js';
import type { WorkflowRow } from '../workflows/workflow.entity.js';
import type { Verdict } from './message.entity.js';
import type { Rules } from './project-rules.js';

export interface PlannedRun {
  workflow: WorkflowRow;
  triggerId: string | null;
}

/** What is to be done with a message. */
export interface Decision {
  outcome: TerminalOutcome;
  reason: string | null;
  verdicts: Verdict[];
  runs: PlannedRun[];
  /** The session the message belongs to, when it goes to the Chief of Staff. */
  sessionKey: string | null;
  sessionAgentId: string | null;
  reply: ReplyTarget | null;
}

const nothing = { verdicts: [], runs: [], sessionKey: null, sessionAgentId: null, reply: null };

/** Routes one message by a project's rules; pure, so that a dry run is the same as the real one. */
export function decide(appId: string, message: NormalizedMessage, rules: Rules): Decision {
  if (message.is_bot) return { ...nothing, outcome: 'dropped_bot', reason: null };
  const channel = rules.channels.get(appId) ?? null;
  const reply = replyTarget(appId, message, channel);
  if (message.workflow_id !== undefined) return byWorkflowId(message.workflow_id, rules, reply);

  const verdicts = channel?.triggers === false ? [] : judgeTriggers(appId, message, rules);
  const runs = verdicts
    .filter((verdict) => verdict.verdict === 'matched' || verdict.verdict === 'suspended')
    .flatMap((verdict) => {
      const workflow = rules.workflows.get(verdict.workflow_id);
      return workflow ? [{ workflow, triggerId: verdict.trigger_id }] : [];
    });
  // Without a channel of its own an App's messages reach the Chief of Staff: nothing is silently unrouted.
  const toChief = channel?.chief_of_staff ?? true;
  const routed = runs.length > 0 || toChief;
  return {
    outcome: routed ? 'routed' : 'no_match',
    reason: routed ? null : verdicts.length > 0 ? 'no_trigger_matched' : 'no_trigger_and_no_chief_of_staff',
    verdicts,
    runs,
    sessionKey: toChief ? sessionKey(appId, message, channel) : null,
    sessionAgentId: channel?.agent_id ?? null,
    reply,
  };
}

function byWorkflowId(id: number, rules: Rules, reply: ReplyTarget | null): Decision {
  const workflow = rules.workflows.get(id);
  if (!workflow) return { ...nothing, outcome: 'no_match', reason: 'workflow_not_found' };
  if (workflow.status === 'off') return { ...nothing, outcome: 'no_match', reason: 'workflow_off' };
  return { ...nothing, outcome: 'routed', reason: null, runs: [{ workflow, triggerId: null }], reply };
}

function judgeTriggers(appId: string, message: NormalizedMessage, rules: Rules): Verdict[] {
  return (rules.triggers.get(appId) ?? []).map((trigger) => {
    const base = { trigger_id: trigger.id, workflow_id: trigger.workflow_id };
    const status = rules.workflows.get(trigger.workflow_id)?.status ?? 'off';
    if (trigger.event_types.length > 0 && !trigger.event_types.includes(message.event_type)) {
      const wanted = trigger.event_types.join(', ');
      return { ...base, verdict: 'filtered', reason: `event_type is ${message.event_type}, not ${wanted}` };
    }
    if (status === 'off') return { ...base, verdict: 'off', reason: 'the workflow is off' };
    if (status === 'suspended')
      return { ...base, verdict: 'suspended', reason: 'the workflow is suspended: the run waits' };
    return { ...base, verdict: 'matched', reason: null };
  });
}

function replyTarget(appId: string, message: NormalizedMessage, channel: ChannelRow | null): ReplyTarget | null {
  const named = message.metadata?.['channel_address'];
  const address = typeof named === 'string' && named !== '' ? named : (channel?.reply_address ?? null);
  if (address === null) return null;
  return {
    app_id: appId,
    channel_address: address,
    thread_id: message.thread_id ?? null,
    reply_context: message.metadata?.['reply_context'] ?? null,
  };
}

function sessionKey(appId: string, message: NormalizedMessage, channel: ChannelRow | null): string {
  const scope = channel?.session_scope ?? 'thread';
  if (scope === 'thread' && message.thread_id) return `${appId} thread ${message.thread_id}`;
  if (scope === 'channel') return `${appId} channel ${String(message.metadata?.['channel_address'] ?? '')}`;
  return `${appId} sender ${message.sender}`;
}
