/** A conversation's id: a chat, or a channel with the message that a thread begins with. */
const CONVERSATION = /^([\w:@.=+-]{1,300})(?:;messageid=(\d{1,20}))?$/;

export interface Conversation {
  /** Of the chat or the channel. */
  id: string;
  /** The first message of the thread. */
  thread: string | undefined;
}

export function readConversation(text: string): Conversation | undefined {
  const [, id, thread] = CONVERSATION.exec(text) ?? [];
  return id === undefined ? undefined : { id, thread };
}

/** The path of a conversation's activities. */
export function activitiesPath({ id, thread }: Conversation): string {
  const whole = thread === undefined ? id : `${id};messageid=${thread}`;
  return `/v3/conversations/${encodeURIComponent(whole)}/activities`;
}
