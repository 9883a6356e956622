import { ProviderUnavailable, type DeliverFailure, type InboundCall, type NormalizedMessage } from '#libs/adapter-sdk';
import { objectOf, objectsOf, textOf } from '../provider-calls/json-fields.js';
import { callGmail, type GmailHttp } from './gmail-api.js';
import { parseMessage } from './parse-message.js';
import type { Push } from './parse-push.js';

/** Before the push was published: Gmail batches changes for some seconds, and clocks differ. */
const LOOK_BACK_SECONDS = 300;
/** Per push. A mailbox that gets more in five minutes also pushes more often. */
const MAX_MESSAGES = 25;
/** Gmail limits the calls per second. */
const PARALLEL = 5;
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

/**
 * The mails of the minutes before a push, oldest first. A push names a history id and no mail, and the adapter is
 * stateless, so it has no earlier id to list from. The windows overlap, which the dedup keys make harmless.
 * @throws ProviderUnavailable
 */
export async function recentMessages(
  call: InboundCall,
  push: Push,
  http: GmailHttp,
): Promise<NormalizedMessage[] | DeliverFailure> {
  const after = Math.floor(push.publishedAt.getTime() / 1000) - LOOK_BACK_SECONDS;
  const listed = await callGmail(
    call.credentials,
    {
      path: 'messages',
      query: [
        ['q', `after:${after}`],
        ['maxResults', String(MAX_MESSAGES)],
      ],
    },
    http,
  );
  if ('ok' in listed) return unlessAway(listed);
  const ids = objectsOf(objectOf(listed.json).messages).flatMap((entry) => textOf(entry.id) ?? []);
  const found: NormalizedMessage[] = [];
  const oldestFirst = ids.reverse();
  while (oldestFirst.length > 0) {
    const some = oldestFirst.splice(0, PARALLEL);
    for (const answer of await Promise.all(some.map((id) => fetchMessage(id, call, http)))) {
      if ('ok' in answer) {
        // Deleted since the listing.
        if (answer.error === 'not_found') continue;
        return unlessAway(answer);
      }
      const message = await parseMessage(objectOf(answer.json), { email: push.email, ...call.self });
      if (message && message.event_type !== 'ignored') found.push(message);
    }
  }
  return found;
}

function fetchMessage(id: string, call: InboundCall, http: GmailHttp): ReturnType<typeof callGmail> {
  return callGmail(
    call.credentials,
    { path: `messages/${encodeURIComponent(id)}`, query: [['format', 'full']], maxAnswerBytes: MAX_MESSAGE_BYTES },
    http,
  );
}

function unlessAway(failure: DeliverFailure): DeliverFailure {
  if (['provider_unavailable', 'rate_limited', 'timeout'].includes(failure.error)) {
    throw new ProviderUnavailable('Gmail cannot be asked for the mails now', failure.error_detail?.retry_after);
  }
  return failure;
}
