import { OneOf, Text, Whole } from '#libs/service-kit';
import {
  defaultFailureNotice,
  defaultLimitNotice,
  type InboxMode,
  type MachineReach,
  machineReaches,
  routePolicies,
  type RoutePolicy,
  type SessionScope,
  type UnknownSenders,
} from '../../entities/rules.entity.js';

/** What people set of a channel. */
export class ChannelSettings {
  @Text(100, {
    optional: true,
    nullable: true,
    description: "The agent that answers; default: the project's Chief of Staff",
  })
  agent_id?: string | null;
  @OneOf(routePolicies, {
    optional: true,
    description:
      'Who gets its messages: triggers and Chief of Staff (both, default), one of them alone, or the Chief of Staff only if no trigger takes it. A workflow_id in a message of the Webhook app comes first',
  })
  route_policy?: RoutePolicy;
  @OneOf(machineReaches, {
    optional: true,
    description: 'Where messages of other bots go (metadata.from_bot; default triggers_only)',
  })
  bots?: MachineReach;
  @OneOf(machineReaches, {
    optional: true,
    description: 'Where auto-submitted mail, bounces, list mail and notifications go (default triggers_only)',
  })
  automatic?: MachineReach;
  @Text(2_000, {
    optional: true,
    nullable: true,
    description:
      'Where replies go if the message names no address; for the Webhook app: the http(s) URL of every reply',
  })
  reply_address?: string | null;
  @OneOf(['thread', 'contact', 'channel'], {
    optional: true,
    description: 'Which messages share a session (default thread)',
  })
  session_scope?: SessionScope;
  @OneOf(['hold', 'pair', 'open', 'drop'], {
    optional: true,
    nullable: true,
    description: 'What happens to messages from unknown senders (default hold; not for the built-in Webhook app)',
  })
  unknown_senders?: UnknownSenders | null;
  @OneOf(['queue', 'collect'], {
    optional: true,
    nullable: true,
    description:
      'Messages that arrive during a turn: queue: one turn each; collect: one turn for all (default; queue for the Webhook app)',
  })
  inbox_mode?: InboxMode | null;
  @Whole(1, 525_600, {
    optional: true,
    nullable: true,
    description: 'A session without messages for this long starts anew',
  })
  idle_reset_minutes?: number | null;
  @Whole(0, 23, { optional: true, nullable: true, description: 'The hour (UTC) at which sessions start anew' })
  daily_reset_hour?: number | null;
  @Text(1_000, {
    optional: true,
    nullable: true,
    minLength: 1,
    description: `Sent once to the sender of a failed turn, if it can be answered; null: nothing is sent (default "${defaultFailureNotice}")`,
  })
  failure_notice?: string | null;
  @Text(1_000, {
    optional: true,
    nullable: true,
    minLength: 1,
    description: `Sent once to a sender who is paused or over a limit of the day, if it can be answered. {limit} becomes the limit in a sentence, {until} the time at which it ends; null: nothing is sent (default "${defaultLimitNotice}")`,
  })
  limit_notice?: string | null;
  @Whole(1, 2_592_000, {
    optional: true,
    nullable: true,
    description:
      'For how long a reply is worth sending: one that could not be sent until then expires; null: it is tried as long as DELIVERY_RETRY_FOR_MS',
  })
  reply_ttl_seconds?: number | null;
}
