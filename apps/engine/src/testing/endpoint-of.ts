import type { Egress } from '#libs/egress';
import { EndpointModel } from '../path/model/endpoint-model.js';
import { modelFetch, modelStream } from '../path/model/model-fetch.js';
import type { FakeProvider } from './fake-provider.js';
import type { Protocol } from './provider-protocols.js';

interface More {
  timeoutMs?: number;
  opensAfter?: number;
  takesImages?: boolean;
  takesPdf?: boolean;
}

/** The model `m` of a provider named `desk` that the fake server plays. */
export function endpointOf(
  server: FakeProvider,
  egress: Egress,
  { kind, key }: Pick<Protocol, 'kind' | 'key'>,
  { timeoutMs = 10_000, opensAfter = 1_000, takesImages = false, takesPdf = false }: More = {},
): EndpointModel {
  const file = key['service_account'];
  const own = file === undefined ? key : { service_account: file.replace('TOKENS', `${server.url}/token`) };
  const limits = { timeoutMs: 10_000, maxBytes: 100_000 };
  return new EndpointModel({
    listPrice: null,
    access: async () => ({ kind, baseUrl: server.url, region: 'eu-west-1', cloudProject: 'home', key: own }),
    model: 'm',
    name: 'desk/m',
    takesImages,
    takesPdf,
    timeoutMs,
    maxOutputTokens: 500,
    maxAnswerBytes: limits.maxBytes,
    breaker: { opensAfter, trialEveryMs: 1_000 },
    fetch: modelFetch(egress, limits),
    stream: modelStream(egress, limits),
    streams: true,
  });
}
