import type { DeliverFailure, HeaderMap } from '#libs/adapter-sdk';
import {
  callProvider,
  type ProviderAnswer,
  type ProviderHttp,
  type ProviderRequest,
} from '../../provider-calls/call-provider.js';
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
  const answer: ProviderAnswer | DeliverFailure = await callProvider(settings, {
    url: settings.apiUrl + path,
    headers: {
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
      authorization: `Bearer ${token}`,
    },
    ...request,
  });
  if ('ok' in answer) return answer;
  if (answer.status >= 200 && answer.status < 300) {
    return { ok: true, body: answer.json, headers: answer.headers };
  }
  return failureOfGithubAnswer(answer, new Date());
}
