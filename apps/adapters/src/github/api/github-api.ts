import {
  type DeliverFailure,
  type HeaderMap,
  headerValue,
  callProvider,
  type ProviderAnswer,
  type ProviderHttp,
  type ProviderRequest,
} from '#libs/adapter-sdk';
import { failureOfGithubAnswer } from './github-errors.js';

export const GITHUB_API_URL = 'https://api.github.com';

export interface GithubSettings extends ProviderHttp {
  /** Without a trailing slash; for a GitHub Enterprise Server, `https://<host>/api/v3`. */
  apiUrl: string;
}

/** A 2xx answer with its parsed body, which is undefined when it is not JSON. */
export type GithubAnswer = { ok: true; body: unknown; headers: HeaderMap };

export type GithubRequest = Pick<ProviderRequest, 'method' | 'json' | 'maxAnswerBytes' | 'keepNumbers'>;

/** One call with a token or a JSON Web Token. `path` is encoded already. */
export async function callWithToken(
  path: string,
  request: GithubRequest,
  token: string,
  settings: GithubSettings,
): Promise<GithubAnswer | DeliverFailure> {
  // An Enterprise Server has GraphQL beside its REST API: `https://<host>/api/graphql`.
  const base = path === '/graphql' ? settings.apiUrl.replace(/\/v3$/, '') : settings.apiUrl;
  const url = base + path;
  const answer = await callUrl(url, request, token, settings);
  // What is only read may be read where it is now; what is sent has to be sent to an address that is known.
  const isRead = request.method === undefined && request.json === undefined;
  const moved = isRead && !('ok' in answer) ? newUrl(answer, settings) : undefined;
  return answerOf(moved === undefined ? answer : await callUrl(moved, request, token, settings));
}

function callUrl(
  url: string,
  request: GithubRequest,
  token: string,
  settings: GithubSettings,
): Promise<ProviderAnswer | DeliverFailure> {
  return callProvider(settings, {
    url,
    headers: {
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
      authorization: `Bearer ${token}`,
    },
    ...request,
  });
}

/** Where a renamed repository is, at GitHub itself: the token goes nowhere else. */
function newUrl({ status, headers }: ProviderAnswer, { apiUrl }: GithubSettings): string | undefined {
  const location = [301, 302, 307, 308].includes(status) ? headerValue(headers, 'location') : undefined;
  return location?.startsWith(`${apiUrl}/`) === true ? location : undefined;
}

function answerOf(answer: ProviderAnswer | DeliverFailure): GithubAnswer | DeliverFailure {
  if ('ok' in answer) return answer;
  if (answer.status >= 200 && answer.status < 300) {
    return { ok: true, body: answer.json, headers: answer.headers };
  }
  return failureOfGithubAnswer(answer, new Date());
}
