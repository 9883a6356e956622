import { type ContextMessage, contextFields, type JsonObject } from '#libs/adapter-sdk';
import { objectOf, textOf } from '../../provider-calls/json-fields.js';

/** The issue, pull request or discussion above a comment, as its context. */
export function above(thread: JsonObject): ReturnType<typeof contextFields> {
  const user = objectOf(thread.user);
  const text = [textOf(thread.title), textOf(thread.body)].filter((part) => part !== undefined).join('\n\n');
  const [id, name] = [textOf(user.id), textOf(user.login)];
  const [messageId, timestamp] = [textOf(thread.node_id), textOf(thread.created_at)];
  const subject: ContextMessage = {
    kind: 'subject',
    message: text,
    sender: { ...(id !== undefined && { id }), ...(name !== undefined && { name }) },
    ...(messageId !== undefined && { message_id: messageId }),
    ...(timestamp !== undefined && { timestamp }),
  };
  return contextFields([subject]);
}
