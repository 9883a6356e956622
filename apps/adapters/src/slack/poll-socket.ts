import { deliverFailure, type PollCall, type PollResult } from '#libs/adapter-sdk';
import type { HeldSessions } from '../held-sockets/held-sessions.js';
import { textOf } from '../provider-calls/json-fields.js';
import { SocketModeSession, type SocketModeSettings } from './socket-mode.js';

/**
 * What came over the app's socket. The cursor names the socket's run and how far it was stored, which is acknowledged to
 * Slack; of an earlier run it says nothing, and Slack sends again.
 */
export async function pollSocket(
  call: PollCall,
  settings: SocketModeSettings,
  sessions: HeldSessions<SocketModeSession>,
): Promise<PollResult> {
  const { credentials, cursor = '', wait_seconds: wait } = call;
  const [token, bot] = [textOf(credentials.app_token), textOf(credentials.token)];
  if (token === undefined) {
    const why = 'no app-level token is set: it starts with xapp- and needs the scope connections:write';
    return deliverFailure('auth_failed', why);
  }
  const position = /^(?:([\da-f-]{36}):(\d{1,15}))?$/.exec(cursor);
  if (!position) return deliverFailure('invalid_request', 'cursor must be as an answer gave it');
  const result = await sessions.use(
    `${token}\n${bot ?? ''}`,
    () => new SocketModeSession(credentials, settings),
    async (session): Promise<PollResult> => {
      if (position[1] === session.id) session.inbox.acknowledge(Number(position[2]));
      session.resume();
      const failure = await session.connect();
      if (failure) return failure;
      const { events, seq } = await session.inbox.next(wait * 1_000);
      return { ok: true, events, cursor: `${session.id}:${seq}` };
    },
  );
  return result ?? deliverFailure('provider_unavailable', 'this process holds as many sockets as it may');
}
