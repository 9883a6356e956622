import { isJsonObject, type JsonObject } from './json-value.js';
import { schemeProblem, SIGNATURE_SCHEMES } from './signature-schemes/declared-scheme.js';
import {
  aFilledText,
  aListOf,
  anObject,
  anything,
  aText,
  aWholeNumber,
  trueOrFalse,
  type FieldProblem,
  fieldProblems,
  oneOf,
  type Wanted,
} from './typed-field.js';

const hmacOptions = {
  algorithm: oneOf(['sha256', 'sha512', 'sha1']),
  encoding: oneOf(['hex', 'base64']),
  prefix: aText,
};

const schemeOptions = {
  header: aFilledText,
  query: aFilledText,
  pointer: aFilledText,
  key: oneOf(['text', 'base64', 'hex']),
  timestamp_header: aFilledText,
  timestamp_pointer: aFilledText,
  timestamp_entry: aFilledText,
  timestamp_unit: oneOf(['s', 'ms', 'iso']),
  tolerance_seconds: aWholeNumber(1, 3_600),
  signed_text: aFilledText,
  body_hash_claim: aFilledText,
  body_hash_query: aFilledText,
};

const verification: Wanted = {
  is: '"adapter", "none", or an object with a scheme',
  accepts: (value) => value === 'adapter' || value === 'none' || isJsonObject(value),
};

const respond: Wanted = {
  is: '"adapter", or an object',
  accepts: (value) => value === 'adapter' || isJsonObject(value),
};

/** What is wrong with a manifest's `webhook`. Renewing more often than hourly would only be load. */
export function webhookProblems(webhook: JsonObject, at: string): FieldProblem[] {
  const { verification: verified, handshake, ack } = webhook;
  return [
    ...fieldProblems(
      webhook,
      {},
      {
        verification,
        handshake: anObject,
        ack: anObject,
        max_body_bytes: aWholeNumber(1),
        renew_seconds: aWholeNumber(3_600),
        missed_since: trueOrFalse,
        delivery_id_header: aFilledText,
      },
      at,
    ),
    ...(isJsonObject(verified) ? verificationProblems(verified, `${at}verification.`) : []),
    ...(isJsonObject(handshake) ? handshakeProblems(handshake, `${at}handshake.`) : []),
    ...(isJsonObject(ack)
      ? fieldProblems(ack, {}, { status: aWholeNumber(200, 299), body: anything }, `${at}ack.`)
      : []),
  ];
}

function verificationProblems(declared: JsonObject, at: string): FieldProblem[] {
  const secrets = aListOf(aFilledText, 'a list of texts that are not empty');
  const options = { secret_fields: secrets, ...hmacOptions, ...schemeOptions };
  const problems = fieldProblems(declared, { scheme: aFilledText }, options, at);
  const known = SIGNATURE_SCHEMES.find((name) => name === declared.scheme);
  if (problems.length > 0 || known === undefined) return problems;
  const message = schemeProblem({ ...declared, scheme: known });
  return message === null ? [] : [{ field: at.slice(0, -1), message }];
}

function handshakeProblems(declared: JsonObject, at: string): FieldProblem[] {
  const { match, respond: answer, verify_token: token } = declared;
  const place = { query: aFilledText, pointer: aFilledText, header: aFilledText };
  return [
    ...fieldProblems(
      declared,
      { method: oneOf(['GET', 'POST']), match: anObject, respond },
      { verify_token: anObject, unsigned: trueOrFalse },
      at,
    ),
    ...(isJsonObject(match) ? fieldProblems(match, {}, { ...place, equals: aText }, `${at}match.`) : []),
    ...(isJsonObject(match) ? placeProblems(match, `${at}match`) : []),
    ...(isJsonObject(answer) ? respondProblems(answer, `${at}respond.`) : []),
    ...(isJsonObject(answer) && answer.fixed === undefined ? placeProblems(answer, `${at}respond`) : []),
    ...(isJsonObject(token)
      ? fieldProblems(token, { query: aFilledText, field: aFilledText }, {}, `${at}verify_token.`)
      : []),
  ];
}

const answerOptions = {
  as: aFilledText,
  echo_as: aFilledText,
  as_header: aFilledText,
  fixed: aText,
  status: aWholeNumber(200, 299),
};

function respondProblems(respond: JsonObject, at: string): FieldProblem[] {
  const { hmac } = respond;
  const place = { query: aFilledText, pointer: aFilledText, header: aFilledText };
  return [
    ...fieldProblems(respond, {}, { ...place, hmac: anObject, ...answerOptions }, at),
    ...(isJsonObject(hmac) ? fieldProblems(hmac, { field: aFilledText }, hmacOptions, `${at}hmac.`) : []),
  ];
}

/** A value has to be in exactly one place. */
function placeProblems(given: JsonObject, field: string): FieldProblem[] {
  const places = ['query', 'pointer', 'header'].filter((name) => given[name] !== undefined);
  return places.length === 1 ? [] : [{ field, message: 'must have one of query, pointer and header' }];
}
