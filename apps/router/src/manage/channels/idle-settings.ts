import type { ChannelRow } from '../../entities/rules.entity.js';

type Settings = Pick<ChannelRow, 'agent_id' | 'route_policy' | 'bots' | 'automatic' | 'daily_reset_hour'>;

/** Settings of a channel that have no effect as things are, each in a sentence with what to do. */
export function idleSettings({ agent_id, route_policy, bots, automatic, daily_reset_hour }: Settings): string[] {
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
