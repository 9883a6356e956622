import { type Credentials, type DeliverFailure, deliverFailure, type JsonObject } from '#libs/adapter-sdk';
import { objectOf, objectsOf, textOf } from '../../provider-calls/json-fields.js';
import { callGithub } from './call-github.js';
import type { GithubSettings } from './github-api.js';
import { failureOfGithubAnswer } from './github-errors.js';

/** An error of GraphQL comes with status 200: the status that the REST API gives for the same. */
const STATUS_BY_TYPE: Readonly<Record<string, number>> = {
  NOT_FOUND: 404,
  FORBIDDEN: 403,
  INSUFFICIENT_SCOPES: 403,
  RATE_LIMITED: 429,
  RATE_LIMIT: 429,
  UNPROCESSABLE: 422,
};
/** A query that GitHub's schema does not know has a code instead of a type, and is refused each time. */
const REFUSED_STATUS = 422;

/** The data of an operation, for what the REST API does not have; none where any of it failed. */
export async function callGraphql(
  ...call: Parameters<typeof askGraphql>
): Promise<{ ok: true; data: JsonObject } | DeliverFailure> {
  const answer = await askGraphql(...call);
  return answer.ok && answer.missing ? answer.missing : answer;
}

/**
 * As `callGraphql`, with what there is of the data where some of it failed.
 * Source: https://docs.github.com/en/graphql/guides/forming-calls-with-graphql
 * @returns `missing`: why some of the data is missing; null: it is whole
 */
export async function askGraphql(
  query: string,
  variables: JsonObject,
  credentials: Credentials,
  settings: GithubSettings,
  maxAnswerBytes?: number,
): Promise<{ ok: true; data: JsonObject; missing: DeliverFailure | null } | DeliverFailure> {
  const request = { json: { query, variables }, ...(maxAnswerBytes !== undefined && { maxAnswerBytes }) };
  const answer = await callGithub('/graphql', { method: 'POST', ...request }, credentials, settings);
  if (!answer.ok) return answer;
  const { data, errors } = objectOf(answer.body);
  const [first] = objectsOf(errors);
  if (!first) return { ok: true, data: objectOf(data), missing: null };
  const [type, code] = [textOf(first.type), textOf(objectOf(first.extensions).code)];
  // `Something went wrong while executing your query`: it may have taken effect.
  if (!type && !code) return deliverFailure('timeout', 'GitHub could not finish the query', { retryable: false });
  const status = STATUS_BY_TYPE[type ?? ''] ?? REFUSED_STATUS;
  const refused = { status, headers: answer.headers, json: { message: first.message } };
  return { ok: true, data: objectOf(data), missing: failureOfGithubAnswer(refused, new Date()) };
}
