import {
  aListOf,
  anObject,
  aText,
  aWholeNumber,
  fieldProblems,
  isJsonObject,
  type JsonObject,
  trueOrFalse,
  type Wanted,
} from '#libs/adapter-sdk';

/** For `AdapterClient.post`: what is wrong with an answer's fields, or null. Names fields and kinds, never values. */
type AnswerCheck = (answer: JsonObject) => string | null;

/** A field that is null is one that was left out: some languages write it so. */
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
/** Some providers count their messages. */
const anId: Wanted = {
  is: 'a text or a whole number',
  accepts: (value) => typeof value === 'string' || Number.isSafeInteger(value),
};
const seconds: Wanted = {
  is: 'a number of seconds',
  accepts: (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
};

/** `/verify-webhook`: naming the scheme is not in the contract (spec 4.1). */
export const wrongVerification = check({ ok: trueOrFalse }, { scheme: aText, error: aText, message: aText });

export const wrongRenewal = check({ ok: trueOrFalse }, { expires_at: aText, error: aText, message: aText });

/** `/format`: what an adapter leaves out of it must not become an empty message. */
export const wrongFormat = check({ text: aText }, { format: aText, parts: texts, lossy: texts });

export const wrongLookup = check({ found: trueOrFalse }, { message_id: anId });

/**
 * `/deliver`: the contract does not show its body, so nothing has to be there. An answer that does not tell whether, or how
 * much of, a message has arrived is none.
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
const errorDetails = check(
  {},
  { message: aText, retryable: trueOrFalse, retry_after: seconds, channel_address: aText },
);

/** What else is wrong with an answer of `/deliver`: it is shown on the adapter's page, and changes nothing of what came. */
export const wrongDeliveryDetail: AnswerCheck = (answer) => {
  const { error_detail: detail } = answer;
  const inner = isJsonObject(detail) ? errorDetails(detail) : null;
  return deliveryDetails(answer) ?? (inner && `error_detail.${inner}`);
};
