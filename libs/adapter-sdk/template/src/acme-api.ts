import {
  failureOfStatus,
  isJsonObject,
  deliverFailure,
  type Credentials,
  type DeliverFailure,
  type JsonObject,
} from '@gatehouse/adapter-sdk';

export interface AcmeApi {
  /** Base address of the API, without a trailing slash. */
  url: string;
  /** For one call, from connecting to the end of the answer. */
  timeoutMs: number;
}

/** One call: the JSON object of a 2xx answer, or the failure by its code. The provider's own text is not passed on. */
export async function callAcme(
  api: AcmeApi,
  credentials: Credentials,
  path: string,
  json?: JsonObject,
): Promise<{ body: JsonObject } | DeliverFailure> {
  const signal = AbortSignal.timeout(api.timeoutMs);
  try {
    const answer = await fetch(api.url + path, {
      method: json ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${String(credentials.token)}`, 'content-type': 'application/json' },
      ...(json && { body: JSON.stringify(json) }),
      redirect: 'manual',
      signal,
    });
    if (!answer.ok) return failureOfStatus(answer.status, answer.headers.get('retry-after') ?? undefined);
    const body: unknown = await answer.json();
    return isJsonObject(body) ? { body } : deliverFailure('provider_unavailable', 'the answer is no JSON object');
  } catch {
    // The message may have arrived: the code `timeout` is not retried automatically.
    if (signal.aborted) return deliverFailure('timeout', 'no answer in time');
    return deliverFailure('provider_unavailable', 'the provider cannot be reached');
  }
}
