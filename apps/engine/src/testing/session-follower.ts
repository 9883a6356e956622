import { createParser } from 'eventsource-parser';
import { get, type IncomingMessage } from 'node:http';

/** What a reader of a session's stream sees. */
export interface SessionFollower {
  status: number;
  /** Of each turn, what it has written so far; a turn that has ended is gone. */
  texts: Map<string, string>;
  tools: Map<string, string[]>;
  /** Each text that was shown, in their order. */
  shown: string[];
  ended: string[];
  response: IncomingMessage;
  leave(): void;
}

/** Follows the stream of a session. */
export function followSession(url: string, sessionId: string, token: string): Promise<SessionFollower> {
  return followStream(`${url}/api/v1/sessions/${sessionId}/stream`, token);
}

export async function followStream(path: string, token: string): Promise<SessionFollower> {
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    get(path, { headers: { authorization: `Bearer ${token}` }, agent: false }, resolve).once('error', reject),
  );
  const follower: SessionFollower = {
    status: response.statusCode ?? 0,
    texts: new Map(),
    tools: new Map(),
    shown: [],
    ended: [],
    response,
    leave: () => response.destroy(),
  };
  const parser = createParser({
    onEvent: ({ event, data }) => {
      const { turn_id, at, text, tools } = JSON.parse(data) as Frame;
      if (event === 'end') {
        follower.texts.delete(turn_id);
        follower.ended.push(turn_id);
        return;
      }
      const whole = (follower.texts.get(turn_id) ?? '').slice(0, at) + text;
      follower.texts.set(turn_id, whole);
      follower.tools.set(turn_id, tools);
      follower.shown.push(whole);
    },
  });
  response.setEncoding('utf8').on('data', (chunk: string) => parser.feed(chunk));
  response.on('error', () => undefined);
  return follower;
}

interface Frame {
  turn_id: string;
  at: number;
  text: string;
  tools: string[];
}
