import { deliverFailure, type PollCall, type PollResult } from '#libs/adapter-sdk';
import { hearsOf } from '../hearing/hears.js';
import type { HeldSessions } from '../held-sockets/held-sessions.js';
import { textOf } from '../provider-calls/json-fields.js';
import { cursorOf, positionOf } from './gateway-position.js';
import { GatewaySession, type GatewaySettings } from './gateway-session.js';

/**
 * What came over the bot's Gateway connection. The cursor is Discord's own position, so any process goes on from it while
 * Discord keeps the session. If it does not, that is reported as a gap.
 */
export async function pollGateway(
  { credentials, cursor, wait_seconds: wait }: PollCall,
  settings: GatewaySettings,
  sessions: HeldSessions<GatewaySession>,
): Promise<PollResult> {
  const position = cursor === undefined ? null : positionOf(cursor);
  if (cursor !== undefined && !position) {
    return deliverFailure('invalid_request', 'cursor must be as an answer gave it');
  }
  const result = await sessions.use(
    `${textOf(credentials.token)}\n${hearsOf(credentials)}`,
    () => new GatewaySession(credentials, settings),
    async (session): Promise<PollResult> => {
      if (position) session.goOnFrom(position);
      session.resume();
      const failure = await session.connect();
      if (failure) return failure;
      // The first position is given at once: what comes after it is not lost.
      const { events, seq } = await session.inbox.next(position && !session.gap ? wait * 1_000 : 0);
      const [at, { gap }] = [session.positionOf(seq), session];
      return { ok: true, events, ...(at && { cursor: cursorOf(at) }), ...(gap && { gap }) };
    },
  );
  return result ?? deliverFailure('provider_unavailable', 'this process holds as many sockets as it may');
}
