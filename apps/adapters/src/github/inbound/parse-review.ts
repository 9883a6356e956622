import { ignoredMessage, type NormalizedMessage } from '#libs/adapter-sdk';
import { objectOf, textOf } from '../../provider-calls/json-fields.js';
import { above } from './above.js';
import { contentKey, describeEvent, type EventContext } from './describe-event.js';

/** A review. One with line comments only has no text of its own: each comment comes as an event of its own. */
export function parseReview(context: EventContext): NormalizedMessage | undefined {
  const { payload, action } = context;
  if (action !== 'submitted' && action !== 'edited') return undefined;
  const [review, pull] = [objectOf(payload.review), objectOf(payload.pull_request)];
  const described = describeEvent(context, { content: review, number: pull.number });
  const [state, body, title] = [textOf(review.state)?.toLowerCase(), textOf(review.body), textOf(pull.title)];
  if (body === undefined && (state === 'commented' || state === undefined)) {
    return { ...ignoredMessage('empty_review', described.metadata), is_bot: described.is_bot };
  }
  const isEdit = action === 'edited';
  const key = isEdit
    ? contentKey('review', review, 'edited', textOf(review.updated_at) ?? textOf(review.submitted_at))
    : contentKey('review', review);
  const { channel_address } = described.metadata;
  return {
    ...described,
    event_type: isEdit ? 'message_edited' : 'review_submitted',
    // Without a text, the verdict is the message.
    message: body ?? state ?? '',
    ...(channel_address !== undefined && { thread_id: channel_address }),
    ...(key !== undefined && { dedup_key: key }),
    metadata: {
      ...described.metadata,
      ...(state !== undefined && { review_state: state }),
      ...(title !== undefined && { title }),
      ...(!isEdit && above(pull)),
    },
  };
}
