import {
  aListOf,
  anId,
  anObject,
  aText,
  aWholeNumber,
  fieldProblems,
  isJsonObject,
  type JsonObject,
  POLL_CURSOR_MAX_BYTES,
  POLL_MAX_EVENTS,
  trueOrFalse,
  type Wanted,
} from '#libs/adapter-sdk';

/** For `AdapterClient.post`: what is wrong with an answer's fields, or null. Names fields and kinds, never values. */
type AnswerCheck = (answer: JsonObject) => string | null;

/** Drops fields that are null: some languages write a missing field so. */
export function withoutNulls(answer: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(answer).filter(([, value]) => value !== null));
}

const check =
  (required: Record<string, Wanted>, optional: Record<string, Wanted> = {}): AnswerCheck =>
  (answer) => {
    const problems = fieldProblems(withoutNulls(answer), required, optional);
    return problems.length === 0 ? null : problems.map(({ field, message }) => `${field} ${message}`).join('; ');
  };

const texts = aListOf(aText, 'a list of texts');
const seconds: Wanted = {
  is: 'a number of seconds',
  accepts: (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
};

/** `/verify-webhook`: the contract does not require a name for the scheme (spec 4.1). */
export const wrongVerification = check({ ok: trueOrFalse }, { scheme: aText, error: aText, message: aText });

export const wrongRenewal = check({ ok: trueOrFalse }, { expires_at: aText, error: aText, message: aText });

/** `/format`: a missing text must not become an empty message. */
export const wrongFormat = check({ text: aText }, { format: aText, parts: texts, lossy: texts });

const isPolled = (value: unknown): boolean =>
  isJsonObject(value) && typeof value['id'] === 'string' && value['id'] !== '' && typeof value['body'] === 'string';
const polled: Wanted = {
  is: `a list of at most ${POLL_MAX_EVENTS} objects with an id and a body as text`,
  accepts: (value) => Array.isArray(value) && value.length <= POLL_MAX_EVENTS && value.every(isPolled),
};
const aCursor: Wanted = {
  is: `a text of at most ${POLL_CURSOR_MAX_BYTES} bytes, without U+0000`,
  accepts: (value) =>
    typeof value === 'string' && Buffer.byteLength(value) <= POLL_CURSOR_MAX_BYTES && !value.includes('\0'),
};
const gapDetails = check({ reason: aText }, { since: aText, until: aText });
const degradedDetails = check({ error: aText, message: aText });

/** `/poll`: without its events, an answer would move the cursor past them. */
export const wrongPoll: AnswerCheck = (answer) => {
  if (answer['ok'] !== true) return check({ ok: trueOrFalse, error: aText }, { error_detail: anObject })(answer);
  const { gap, degraded } = answer;
  const ofGap = isJsonObject(gap) ? gapDetails(gap) : null;
  const ofDegraded = isJsonObject(degraded) ? degradedDetails(degraded) : null;
  return (
    check({ events: polled }, { cursor: aCursor, gap: anObject, degraded: anObject })(answer) ??
    (ofGap && `gap.${ofGap}`) ??
    (ofDegraded && `degraded.${ofDegraded}`)
  );
};

export const wrongIndication = check({ ok: trueOrFalse }, { error: aText });

export const wrongLookup = check({ found: trueOrFalse }, { message_id: anId });

/**
 * `/deliver`: the contract does not specify its body, so no field is required. But an answer is invalid if it is
 * unclear whether, or how much of, a message has arrived.
 */
export const wrongDelivery = check({}, { ok: trueOrFalse, delivered_parts: aWholeNumber(0) });

const deliveryDetails = check(
  {},
  {
    message_id: anId,
    thread_id: anId,
    channel_address: anId,
    parts: aListOf(anObject, 'a list of objects'),
    error: aText,
    error_detail: anObject,
  },
);
const errorDetails = check({}, { message: aText, retryable: trueOrFalse, retry_after: seconds, channel_address: anId });

/** Other faults in an answer of `/deliver`: they are shown on the adapter's page, and do not change the outcome. */
export const wrongDeliveryDetail: AnswerCheck = (answer) => {
  const { error_detail: detail } = answer;
  const inner = isJsonObject(detail) ? errorDetails(detail) : null;
  return deliveryDetails(answer) ?? (inner && `error_detail.${inner}`);
};
