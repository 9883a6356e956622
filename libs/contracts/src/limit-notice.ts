/** A limit that keeps a sender's messages from being answered. */
export type ReachedLimit =
  /** The contact's messages a day. */
  | { limit: 'messages'; most: number }
  /** What answers may use a day or a month: for this contact, or for everybody with one agent or in the project. */
  | { limit: 'tokens' | 'cost'; of: 'contact' | 'agent' | 'project'; span: 'day' | 'month' }
  /** The loop breaker. */
  | { limit: 'pause'; until: Date };

/** A notice instead of an answer: no model is asked. Its turn works on nothing else. */
export interface LimitNotice {
  limit: ReachedLimit['limit'];
  text: string;
}

const dayMs = 86_400_000;

/**
 * What the sender is shown, once for a pause, or once a day.
 * @param words the channel's: `{limit}` becomes the limit in a sentence, `{until}` the time (UTC) at which it ends
 */
export function limitNotice(words: string, reached: ReachedLimit, nowMs = Date.now()): LimitNotice {
  const until = endOf(reached, nowMs);
  const values = { limit: wordsOf(reached), until: `${until.toISOString().slice(0, 16).replace('T', ' ')} UTC` };
  const text = words.replaceAll(/\{(limit|until)\}/g, (_all, name: keyof typeof values) => values[name]);
  return { limit: reached.limit, text };
}

function endOf(reached: ReachedLimit, nowMs: number): Date {
  if (reached.limit === 'pause') return reached.until;
  if (!('span' in reached) || reached.span === 'day') return new Date((Math.floor(nowMs / dayMs) + 1) * dayMs);
  const now = new Date(nowMs);
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1));
}

function wordsOf(reached: ReachedLimit): string {
  switch (reached.limit) {
    case 'messages': {
      const { most } = reached;
      const each = most === 1 ? '1 message is answered' : `${most === 0 ? 'No' : most} messages are answered`;
      return `The limit of messages a day is reached: ${each} for you each day.`;
    }
    case 'tokens':
      return `The limit of text a ${reached.span} (tokens) is reached, ${shareOf(reached)}.`;
    case 'cost':
      return `The limit of cost a ${reached.span} is reached, ${shareOf(reached)}.`;
    case 'pause':
      return 'Messages and answers followed each other as if two machines wrote, so there is a pause.';
  }
}

function shareOf({ of }: Extract<ReachedLimit, { of: unknown }>): string {
  return of === 'contact' ? 'for what is written to you' : 'for all who write here together';
}
