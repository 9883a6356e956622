import { deliverFailure, type PollCall, type PollResult } from '#libs/adapter-sdk';
import { hearsOf } from '../hearing/hears.js';
import type { HeldSessions } from '../held-sockets/held-sessions.js';
import { textOf } from '../provider-calls/json-fields.js';
import { cursorOf, positionsOf } from './gateway-position.js';
import type { GatewaySettings } from './gateway-session.js';
import { GatewayShards } from './gateway-shards.js';

/**
 * What came over the bot's Gateway. The cursor is Discord's own position, of each connection of the bot, so
 * any process goes on from it while Discord keeps the session. If it does not, that is reported as a gap.
 */
export async function pollGateway(
  { credentials, cursor, wait_seconds: wait }: PollCall,
  settings: GatewaySettings,
  sessions: HeldSessions<GatewayShards>,
): Promise<PollResult> {
  const positions = cursor === undefined ? null : positionsOf(cursor);
  if (cursor !== undefined && !positions) {
    return deliverFailure('invalid_request', 'cursor must be as an answer gave it');
  }
  const result = await sessions.use(
    `${textOf(credentials.token)}\n${hearsOf(credentials)}`,
    () => new GatewayShards(credentials, settings),
    async (shards): Promise<PollResult> => {
      if (positions) shards.goOnFrom(positions);
      shards.resume();
      const failure = await shards.connect();
      // What came before, and over the other connections, is not held up by one that fails.
      if (failure && !shards.isOpen && !shards.hasEvents) return failure;
      // The first position is given at once: what comes after it is not lost.
      const isHeard = !shards.gap || shards.hasOpenGap;
      const next = await shards.next(positions && isHeard ? wait * 1_000 : 0);
      const { gap, degraded } = shards;
      const begun = next.positions.some((at) => at !== null);
      return {
        ok: true,
        events: next.events,
        ...(begun && { cursor: cursorOf(next.positions) }),
        ...(gap && { gap }),
        ...(degraded && { degraded }),
      };
    },
  );
  return result ?? deliverFailure('provider_unavailable', 'this process holds as many sockets as it may');
}
