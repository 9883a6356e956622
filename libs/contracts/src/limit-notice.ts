/** A limit that keeps a sender's messages from being answered. */
export type ReachedLimit =
  /** The contact's messages a day. */
  | { limit: 'messages'; most: number }
  /** What answers may use a day: for this contact, or with one agent for everybody. */
  | { limit: 'tokens' | 'cost'; of: 'contact' | 'agent' }
  /** The loop breaker. @property until RFC 3339 */
  | { limit: 'pause'; until: string };

/** A notice instead of an answer: no model is asked. Its turn works on nothing else. */
export interface LimitNotice {
  limit: ReachedLimit['limit'];
  text: string;
}

const tomorrow = 'New messages are answered again from 00:00 UTC.';

/**
 * What the sender is told, once for a pause or a day.
 * @param failureNotice the channel's own words, which come first
 */
export function limitNotice(failureNotice: string, reached: ReachedLimit): LimitNotice {
  return { limit: reached.limit, text: `${failureNotice}\n\n${wordsOf(reached)}` };
}

function wordsOf(reached: ReachedLimit): string {
  switch (reached.limit) {
    case 'messages': {
      const { most } = reached;
      const each = most === 1 ? '1 message is answered' : `${most === 0 ? 'No' : most} messages are answered`;
      return `The limit of messages a day is reached: ${each} for you each day. ${tomorrow}`;
    }
    case 'tokens':
      return `The limit of text a day (tokens) is reached, ${shareOf(reached)}. ${tomorrow}`;
    case 'cost':
      return `The limit of cost a day is reached, ${shareOf(reached)}. ${tomorrow}`;
    case 'pause':
      return (
        'Messages and answers followed each other as if two machines wrote, so there is a pause. ' +
        `New messages are answered again from ${reached.until.slice(0, 16).replace('T', ' ')} UTC.`
      );
  }
}

function shareOf({ of }: Extract<ReachedLimit, { of: unknown }>): string {
  return of === 'contact' ? 'for what is written to you' : 'for all who write here together';
}
