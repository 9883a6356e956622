import {
  decisionIn,
  isOfAgentCallers,
  type LimitNotice,
  type ReplyTarget,
  type ReplyWithheld,
  type TerminalOutcome,
} from '#libs/contracts';
import { hash } from 'node:crypto';
import type { ChiefOfStaffVerdict, Verdict } from '../../entities/message.entity.js';
import {
  type ChannelRow,
  defaultFailureNotice,
  defaultLimitNotice,
  type InboxMode,
  type RoutePolicy,
  type TriggerRow,
  type UnknownSenders,
  type WorkflowRow,
} from '../../entities/rules.entity.js';
import { automaticKindOf, keptFromChiefOfStaff } from '../guards/loop-breaker.js';
import type { Rules } from '../rules/project-rules.js';
import type { SenderContext } from '../senders/senders.js';
import type { Draft } from './draft.js';
import { evaluateTriggers } from './evaluate-triggers.js';

export interface PlannedRun {
  workflow: WorkflowRow;
  trigger: TriggerRow | null;
}

/** The session that a message belongs to, and the rules of that session. */
export interface PlannedSession {
  key: string;
  agentId: string | null;
  contactId: string | null;
  inboxMode: InboxMode;
  idleResetMinutes: number | null;
  dailyResetHour: number | null;
}

/** Why a message is not routed. It stays readable, and a person can release it. */
export interface Refusal {
  outcome: TerminalOutcome;
  reason: string | null;
}

/** What the sender of a message that a limit refused is shown; or, for people, why nothing. */
export type Informing = { notice: LimitNotice; target: ReplyTarget } | { withheld: string };

/** What is to be done with a message. */
export interface Decision {
  outcome: TerminalOutcome;
  reason: string | null;
  verdicts: Verdict[];
  /** Triggers that filtered the message out and are not listed in the verdicts. */
  unlisted: number;
  runs: PlannedRun[];
  /** Null unless the message goes to the Chief of Staff. */
  session: PlannedSession | null;
  /** It decides about a call that waits for an approval: a turn of no session, which no other turn holds up. */
  decides: boolean;
  /** The session that takes the message if limits remove all its runs. */
  fallback: PlannedSession | null;
  chiefOfStaff: ChiefOfStaffVerdict;
  /** The channel's, as it decided about the message. Null where it did not: refused, or its target was named. */
  routePolicy: RoutePolicy | null;
  /** Null unless the message is taken. */
  reply: Reply | null;
  /** What the sender is shown when a turn fails, if `reply` has a target; null: nothing. */
  failureNotice: string | null;
  /** What the sender is shown when a limit of the day ends a turn, if `reply` has a target; null: nothing. */
  limitWords: string | null;
  /** Null unless a limit refused the message. */
  informing: Informing | null;
}

const nothing = {
  verdicts: [],
  unlisted: 0,
  runs: [],
  session: null,
  decides: false,
  fallback: null,
  chiefOfStaff: null,
  routePolicy: null,
  reply: null,
  failureNotice: null,
  limitWords: null,
  informing: null,
};

export function refused(refusal: Refusal, informing: Informing | null = null): Decision {
  return { ...nothing, ...refusal, informing };
}

/** Routes one message that may be routed by its project's rules; pure, so that a dry run is the same as the real one. */
export function decide(draft: Draft, rules: Rules, senderContext: SenderContext | null): Decision {
  const { app_id: appId } = draft;
  const channel = rules.channels.get(appId) ?? null;
  const reply = replyOf(draft, channel);
  const notices = { failureNotice: failureNoticeOf(channel), limitWords: limitWordsOf(channel) };
  if (draft.workflowId !== undefined) return { ...byWorkflowId(draft.workflowId, rules, reply), ...notices };
  const agentId = draft.agentId ?? askedAgentOf(draft);
  if (agentId !== undefined)
    return { ...byAgent(draft, agentId, plannedSession(draft, channel, senderContext), reply), ...notices };

  if (senderContext && decisionIn(draft.message))
    return { ...nothing, ...notices, outcome: 'routed', reason: null, decides: true, reply };

  // Without a channel of its own, an App's messages reach the Chief of Staff: nothing is silently left unrouted.
  const routePolicy = channel?.route_policy ?? 'both';
  const classified =
    routePolicy === 'chief_of_staff' ? { verdicts: [], unlisted: 0 } : evaluateTriggers(draft, rules, senderContext);
  const { verdicts } = classified;
  const started = verdicts.filter(({ verdict }) => verdict === 'matched' || verdict === 'suspended');
  const runs = started.flatMap((verdict) => {
    const workflow = rules.workflows.get(verdict.workflow_id);
    const trigger = rules.triggers.get(appId)?.find(({ id }) => id === verdict.trigger_id) ?? null;
    return workflow ? [{ workflow, trigger }] : [];
  });
  const kept = routePolicy === 'triggers' ? 'off' : keptFromChiefOfStaff(draft.message, channel);
  const isTriggers = routePolicy === 'chief_of_staff_unless_triggered' && runs.length > 0;
  const chiefOfStaff = kept ?? (isTriggers ? 'trigger_took_it' : 'taken');
  const planned = kept ? null : plannedSession(draft, channel, senderContext);
  const [session, fallback] = isTriggers ? [null, planned] : [planned, null];
  const outcome = concluded(verdicts, runs.length > 0 || session !== null, chiefOfStaff);
  return {
    ...outcome,
    ...classified,
    runs,
    session,
    decides: false,
    fallback,
    chiefOfStaff,
    routePolicy,
    reply,
    ...notices,
    informing: null,
  };
}

/** The outcome that follows from the verdicts; computed again when limits have removed runs. */
export function concluded(
  verdicts: Verdict[],
  routed: boolean,
  chiefOfStaff: ChiefOfStaffVerdict,
): Pick<Decision, 'outcome' | 'reason'> {
  if (routed) return { outcome: 'routed', reason: null };
  if (verdicts.some(({ verdict }) => verdict === 'filter_error')) return { outcome: 'parked', reason: 'filter_error' };
  if (verdicts.some(({ verdict }) => verdict === 'rate_limited'))
    return { outcome: 'no_match', reason: 'rate_limited' };
  if (verdicts.length > 0) return { outcome: 'no_match', reason: 'no_trigger_matched' };
  const isOff = chiefOfStaff === 'off' || chiefOfStaff === null;
  return { outcome: 'no_match', reason: isOff ? 'no_trigger_and_no_chief_of_staff' : `no_trigger_for_${chiefOfStaff}` };
}

export function unknownSendersOf(rules: Rules, appId: string): UnknownSenders {
  // Who asks a published agent has shown a key that may: nobody has to admit it first.
  return rules.channels.get(appId)?.unknown_senders ?? (isOfAgentCallers(appId) ? 'open' : 'hold');
}

/** The published agent that its caller asked; undefined: nobody asked one. What is released goes to it, too. */
function askedAgentOf({ app_id, message }: Draft): string | undefined {
  const asked = message.metadata?.['agent_id'];
  return isOfAgentCallers(app_id) && typeof asked === 'string' ? asked : undefined;
}

function byWorkflowId(id: number, rules: Rules, reply: Reply): Decision {
  const workflow = rules.workflows.get(id);
  if (!workflow) return { ...nothing, outcome: 'no_match', reason: 'workflow_not_found' };
  if (workflow.status === 'off') return { ...nothing, outcome: 'no_match', reason: 'workflow_off' };
  return { ...nothing, outcome: 'routed', reason: null, runs: [{ workflow, trigger: null }], reply };
}

/** In a session of its own: trying an agent is no part of the conversation that another one leads. */
function byAgent(draft: Draft, agentId: string, planned: PlannedSession, reply: Reply): Decision {
  const session = { ...planned, agentId, key: fitting(`${draft.app_id} tried ${agentId} ${planned.key}`) };
  return { ...nothing, outcome: 'routed', reason: null, session, reply };
}

function plannedSession(draft: Draft, channel: ChannelRow | null, senderContext: SenderContext | null): PlannedSession {
  return {
    key: fitting(wholeKey(draft, channel, senderContext)),
    agentId: channel?.agent_id ?? null,
    contactId: senderContext?.contactId ?? null,
    inboxMode: channel?.inbox_mode ?? (isAnsweredSingly(draft) ? 'queue' : 'collect'),
    idleResetMinutes: channel?.idle_reset_minutes ?? null,
    dailyResetHour: channel?.daily_reset_hour ?? null,
  };
}

/** Systems expect an answer to each of their messages; people write one thought in several. */
const isAnsweredSingly = ({ app_kind, app_id }: Draft): boolean => app_kind === 'builtin' || isOfAgentCallers(app_id);

/** An adapter's name for a channel may have any length; a key has to fit an index entry of Postgres. */
const maxKeyChars = 800;

function fitting(key: string): string {
  return key.length <= maxKeyChars ? key : `${key.slice(0, maxKeyChars - 64).toWellFormed()}${hash('sha256', key)}`;
}

const addressText = (address: unknown): string => (typeof address === 'string' ? address : JSON.stringify(address));

function wholeKey({ app_id, message }: Draft, channel: ChannelRow | null, senderContext: SenderContext | null): string {
  const scope = channel?.session_scope ?? 'thread';
  if (scope === 'thread' && message.thread_id) return `${app_id} thread ${message.thread_id}`;
  if (scope === 'channel') return `${app_id} channel ${addressText(message.metadata?.['channel_address'] ?? '')}`;
  return senderContext ? `${app_id} contact ${senderContext.contactId}` : `${app_id} sender ${message.sender}`;
}

/** @returns what senders of the App are shown when a turn fails; null: nothing */
export function failureNoticeOf(channel: Pick<ChannelRow, 'failure_notice'> | null): string | null {
  return channel ? channel.failure_notice : defaultFailureNotice;
}

/** @returns what senders of the App are shown of a limit; null: nothing */
export function limitWordsOf(channel: Pick<ChannelRow, 'limit_notice'> | null): string | null {
  return channel ? channel.limit_notice : defaultLimitNotice;
}

/** Where a message is answered, or why it is not. */
export type Reply = { target: ReplyTarget } | { withheld: ReplyWithheld };

/** For people: what a withheld reply means, and what to do. */
export const withheldAdvice: Record<ReplyWithheld, string> = {
  no_address:
    "The message gives no reply address. Set reply_address of the App's channel. The turn keeps the text of the reply.",
  app_cannot_send:
    'The App cannot send: it has no send capability. To answer, install an App that has it. The turn keeps the text of the reply.',
  automatic_message:
    'A machine sent the message (auto_submitted). It is read but not answered, to prevent a loop between two machines.',
  bounce: 'The message reports a failed delivery. It is read but not answered.',
  mailing_list: 'The message came over a mailing list. It is read, but the list is not answered.',
  notification: 'The message is a notification. It is read, but there is nobody to answer.',
  fetched: 'Whoever asked the agent fetches the answer from its task, over A2A or MCP. Nothing is sent.',
  delivery_off: 'The replay was requested without delivery. To send the reply, replay with deliver set to true.',
};

/** The reply of a message by its channel's rules; pure. */
export function replyOf(draft: Draft, channel: Pick<ChannelRow, 'reply_address' | 'reply_ttl_seconds'> | null): Reply {
  if (!draft.deliver) return { withheld: 'delivery_off' };
  const automatic = automaticKindOf(draft.message);
  if (automatic) return { withheld: automatic };
  if (isOfAgentCallers(draft.app_id)) return { withheld: 'fetched' };
  if (!draft.appSends) return { withheld: 'app_cannot_send' };
  const channels = channel?.reply_address ?? null;
  const own = addressOf(draft);
  const address = channels !== null && own.yields ? channels : own.address;
  if (address === null) return { withheld: 'no_address' };
  const ttl = channel?.reply_ttl_seconds ?? null;
  return {
    target: {
      ...draft.reply,
      channel_address: address,
      ...(channels !== null && own.yields ? { by_channel: true } : {}),
      ...(ttl === null ? {} : { ttl_seconds: ttl }),
    },
  };
}

/**
 * The address that a message itself gives, and whether the channel's goes before it: the adapter's own address, then the
 * channel's, then the sender (spec 2.5 has no other address). For the built-in Webhook app, neither payload nor sender
 * is an address: any caller could have signed replies sent anywhere.
 */
function addressOf({ app_kind, reply, sender }: Draft): { address: string | null; yields: boolean } {
  if (app_kind === 'builtin') return { address: null, yields: true };
  if (reply.channel_address !== null) return { address: reply.channel_address, yields: false };
  return { address: sender, yields: true };
}
