import {
  callProvider,
  failureOfStatus,
  headerValue,
  isJsonObject,
  deliverFailure,
  providerFetch,
  type Credentials,
  type DeliverFailure,
  type JsonObject,
} from '@gatehouse/adapter-sdk';

export interface AcmeApi {
  /** Base address of the API, without a trailing slash. */
  url: string;
  /** For one call with all its attempts, from connecting to the end of the answer. */
  timeoutMs: number;
}

/** One call: the JSON object of a 2xx answer, or the failure by its code. The provider's own text is not passed on. */
export async function callAcme(
  { url, timeoutMs }: AcmeApi,
  credentials: Credentials,
  path: string,
  json?: JsonObject,
): Promise<{ body: JsonObject } | DeliverFailure> {
  const answer = await callProvider(
    { fetch: providerFetch(fetch), timeoutMs },
    { url: url + path, headers: { authorization: `Bearer ${String(credentials.token)}` }, json },
  );
  if ('ok' in answer) return answer;
  const { status, headers, json: body } = answer;
  if (status < 200 || status > 299) return failureOfStatus(status, headerValue(headers, 'retry-after'));
  return isJsonObject(body) ? { body } : deliverFailure('provider_unavailable', 'the answer is no JSON object');
}
