import {
  type DeliverError,
  type DeliverFailure,
  deliverErrorOfStatus,
  deliverFailure,
  headerValue,
  type JsonObject,
  parseRetryAfter,
  templateFailure,
  type TemplateProblem,
  type ProviderAnswer,
} from '#libs/adapter-sdk';

/** Meta's codes by what they mean for a delivery. Source: WhatsApp Cloud API, Error codes. */
const CODES: readonly (readonly [DeliverError, readonly number[]])[] = [
  ['auth_failed', [0, 190]],
  ['permission_denied', [3, 10, 131005, 131031, 368, 130497]],
  ['not_found', [131026, 131030, 131021, 33]],
  ['rate_limited', [4, 80007, 130429, 131048, 131056, 133016]],
  ['invalid_format', [132007, 132068, 132069]],
  ['unsupported', [131051]],
  ['provider_unavailable', [1, 2, 131000, 131016, 131057, 133004]],
];

/** Of templates. Source: the same page. */
const TEMPLATES: Readonly<Record<number, TemplateProblem>> = {
  131047: 'required',
  132000: 'parameters',
  132001: 'unknown',
  132005: 'text',
  132012: 'parameters',
  132015: 'paused',
  132016: 'paused',
};

/** What a person has to know, and no code says. */
const WORDS: Readonly<Record<number, string>> = {
  131047: 'more than 24 hours have passed since the person wrote: WhatsApp takes only an approved template now',
  131026: 'the number does not use WhatsApp, or cannot get this message',
  131030: 'the number is not in the list of recipients of the test number',
};

const DEFAULT_RETRY_AFTER_SECONDS = 60;

/** `error` is `{message, type, code, error_subcode}`; empty when the answer is not Meta's. Its message is not repeated. */
export function failureOfWhatsappError(answer: ProviderAnswer, { code }: JsonObject): DeliverFailure {
  const { status } = answer;
  const known = typeof code === 'number' ? code : undefined;
  const template = known === undefined ? undefined : TEMPLATES[known];
  if (template) {
    const says = known === undefined ? undefined : WORDS[known];
    return templateFailure(template, { provider_status: status, provider_code: String(known), ...(says && { says }) });
  }
  const error = errorOf(status, known);
  const waits = error === 'rate_limited' || error === 'provider_unavailable';
  const asked = waits ? headerValue(answer.headers, 'retry-after') : undefined;
  const wait = asked === undefined ? undefined : parseRetryAfter(asked, new Date());
  const words = known === undefined ? undefined : WORDS[known];
  return deliverFailure(error, words ?? `WhatsApp answered ${status}`, {
    provider_status: status,
    ...(known !== undefined && { provider_code: String(known) }),
    ...(wait !== undefined && { retry_after: wait }),
    ...(error === 'rate_limited' && wait === undefined && { retry_after: DEFAULT_RETRY_AFTER_SECONDS }),
  });
}

function errorOf(status: number, code: number | undefined): DeliverError {
  const known = CODES.find(([, codes]) => code !== undefined && codes.includes(code));
  if (known) return known[0];
  if (code !== undefined && code >= 200 && code <= 299) return 'permission_denied';
  // A 200 that is not Meta's comes from a proxy in between.
  return status < 400 ? 'provider_unavailable' : deliverErrorOfStatus(status);
}
