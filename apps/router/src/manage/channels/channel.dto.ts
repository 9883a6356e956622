import { idOf, PageOf, time } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import {
  type ChannelRow,
  type InboxMode,
  type MachineReach,
  machineReaches,
  routePolicies,
  type RoutePolicy,
  type SessionScope,
  type UnknownSenders,
} from '../../entities/rules.entity.js';
import type { ChannelWarning } from './channel-warnings.js';

/** A channel as shown; one that was never configured has no update time. */
export class ChannelView implements Omit<ChannelRow, 'updated_at'> {
  @ApiProperty(idOf('app')) app_id: string;
  @ApiProperty(idOf('org')) organization_id: string;
  @ApiProperty(idOf('prj')) project_id: string;
  @ApiProperty({ ...idOf('agt'), nullable: true, description: "Null: the project's Chief of Staff" }) agent_id:
    string | null;
  @ApiProperty({ enum: routePolicies, description: 'Who gets its messages' }) route_policy: RoutePolicy;
  @ApiProperty({ enum: machineReaches, description: 'Where messages of other bots go' }) bots: MachineReach;
  @ApiProperty({ enum: machineReaches, description: 'Where automatic messages go' }) automatic: MachineReach;
  @ApiProperty({ type: String, nullable: true }) reply_address: string | null;
  @ApiProperty({ enum: ['thread', 'contact', 'channel'] }) session_scope: SessionScope;
  @ApiProperty({ enum: ['hold', 'pair', 'open', 'drop'], nullable: true, description: 'Null: hold' })
  unknown_senders: UnknownSenders | null;
  @ApiProperty({ enum: ['queue', 'collect'], nullable: true, description: 'Null: collect; queue for the Webhook app' })
  inbox_mode: InboxMode | null;
  @ApiProperty({ type: 'integer', nullable: true }) idle_reset_minutes: number | null;
  @ApiProperty({ type: 'integer', nullable: true }) daily_reset_hour: number | null;
  @ApiProperty({ type: String, nullable: true, description: 'Sent to the sender of a failed turn; null: nothing' })
  failure_notice: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Sent to a sender who is paused or over a limit of the day; null: nothing',
  })
  limit_notice: string | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'A reply that is not sent this long after it was written expires; null: it does not',
  })
  reply_ttl_seconds: number | null;
  @ApiProperty({ ...time, nullable: true, description: 'Null: it was never set up, these are the defaults' })
  updated_at: Date | null;
  @ApiProperty({ type: [String], description: 'Settings that have no effect as things are, in sentences' })
  notes: string[];
}

class ChannelWarningView implements ChannelWarning {
  @ApiProperty({ enum: ['messages_without_event_type', 'no_trigger'] }) code: ChannelWarning['code'];
  @ApiProperty({ description: 'Names the App, which of its messages reach nobody, and what to do' }) message: string;
}

/** One channel, with what it means for the messages of its App. */
export class WarnedChannelView extends ChannelView {
  @ApiProperty({ type: [ChannelWarningView], description: 'Messages that reach nobody as it is set up' })
  warnings: ChannelWarning[];
}

export class ChannelPage extends PageOf(ChannelView) {}

export function channelView(row: Omit<ChannelView, 'notes'>): ChannelView {
  return { ...row, notes: idleSettings(row) };
}

type IdleSettings = Pick<ChannelRow, 'agent_id' | 'route_policy' | 'bots' | 'automatic' | 'daily_reset_hour'>;

/** Settings of a channel that have no effect as things are, each in a sentence with what to do. */
function idleSettings({ agent_id, route_policy, bots, automatic, daily_reset_hour }: IdleSettings): string[] {
  if (route_policy !== 'triggers') return [];
  const named = Object.entries({
    agent_id: agent_id !== null,
    bots: bots === 'chief_of_staff',
    automatic: automatic === 'chief_of_staff',
    daily_reset_hour: daily_reset_hour !== null,
  });
  return named
    .filter(([, isSet]) => isSet)
    .map(
      ([field]) =>
        `${field} has no effect: route_policy is triggers, so no message of this channel reaches an agent by itself. ` +
        'Set route_policy to both, chief_of_staff or chief_of_staff_unless_triggered.',
    );
}
