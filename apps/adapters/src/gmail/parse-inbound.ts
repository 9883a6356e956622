import { ignoredMessage, isJsonObject, parseJson, type InboundCall, type NormalizedMessage } from '#libs/adapter-sdk';
import type { GmailHttp } from './gmail-api.js';
import { parseMessage } from './parse-message.js';
import { parsePush, readPush } from './parse-push.js';
import { recentMessages } from './recent-messages.js';

/**
 * A Pub/Sub push, or a message resource as `users.messages.get` returns it. A push names only the mailbox, so with a
 * token the recent mails are fetched and follow it in a batch; their dedup keys identify those that an earlier push
 * brought.
 * @throws ProviderUnavailable when Gmail cannot be asked now: the push is then parsed again later
 */
export async function parseGmailInbound(call: InboundCall, http: GmailHttp): Promise<NormalizedMessage> {
  const document = parseJson(call.request.text);
  if (!isJsonObject(document)) return ignoredMessage('not_a_json_object');
  const push = readPush(document, call.receivedAt);
  if (push) {
    const changed = parsePush(push);
    const { access_token: token } = call.credentials;
    if (typeof token !== 'string' || token === '') return changed;
    const found = await recentMessages(call, push, http);
    if ('ok' in found) return { ...changed, metadata: { ...changed.metadata, messages_unavailable: found.error } };
    return found.length === 0
      ? changed
      : {
          event_type: 'batch',
          sender: push.email,
          message: '',
          is_bot: false,
          metadata: { messages: [changed, ...found] },
        };
  }
  return (await parseMessage(document, call.self)) ?? ignoredMessage('unknown_document');
}
