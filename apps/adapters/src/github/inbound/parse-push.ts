import type { NormalizedMessage } from '#libs/adapter-sdk';
import { objectOf, objectsOf, textOf } from '../../provider-calls/json-fields.js';
import { describeEvent, type EventContext } from './describe-event.js';

/** A push belongs to no issue, and a login is no address. */
const NOWHERE = { channel_address: null };

/** Commits on a branch or a tag; also a hint that the repository's documents may have changed. */
export function parsePush(context: EventContext): NormalizedMessage {
  const { payload } = context;
  const described = describeEvent(context, {});
  const repository = objectOf(payload.repository);
  const [ref, before, after] = [textOf(payload.ref), textOf(payload.before), textOf(payload.after)];
  const id = textOf(repository.node_id) ?? textOf(repository.id);
  const messages = objectsOf(payload.commits).map(({ message }) => textOf(message) ?? '');
  return {
    ...described,
    event_type: 'push',
    message: messages.join('\n\n'),
    ...(id !== undefined && { dedup_key: ['github', 'push', id, ref ?? '-', before ?? '-', after ?? '-'].join(':') }),
    metadata: {
      ...described.metadata,
      ...NOWHERE,
      commits: messages.length,
      forced: payload.forced === true,
      deleted: payload.deleted === true,
      ...(ref !== undefined && { ref }),
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
    },
  };
}

/** What GitHub sends when a webhook is set up. */
export function parsePing(context: EventContext): NormalizedMessage {
  const described = describeEvent(context, {});
  const metadata = { ...described.metadata, ...NOWHERE };
  return { ...described, metadata, event_type: 'ping', message: textOf(context.payload.zen) ?? '' };
}
