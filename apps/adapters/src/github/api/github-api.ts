import type { Credentials, DeliverFailure } from '#libs/adapter-sdk';
import {
  callProvider,
  type ProviderAnswer,
  type ProviderHttp,
  type ProviderRequest,
} from '../../provider-calls/call-provider.js';
import { accessToken } from './access-token.js';
import { failureOfGithubAnswer } from './github-errors.js';

export const GITHUB_API_URL = 'https://api.github.com';

export interface GithubSettings extends ProviderHttp {
  /** Without a slash at the end; of a GitHub Enterprise Server `https://<host>/api/v3`. */
  apiUrl: string;
}

/** An answer of 2xx with its parsed body, which is undefined when it was none. */
export type GithubAnswer = { ok: true; status: number; body: unknown };

type GithubRequest = Pick<ProviderRequest, 'method' | 'json' | 'maxAnswerBytes' | 'maxRedirects'>;

/** One call in the name of the credentials: their own token, or one of their app's installation. */
export async function callGithub(
  path: string,
  request: GithubRequest,
  credentials: Credentials,
  settings: GithubSettings,
): Promise<GithubAnswer | DeliverFailure> {
  const token = await accessToken(credentials, settings);
  return 'ok' in token ? token : callWithToken(path, request, token.token, settings);
}

/** The same with a token or a JSON Web Token at hand. `path` is encoded already. */
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
  if (answer.status >= 200 && answer.status < 300) return { ok: true, status: answer.status, body: answer.json };
  return failureOfGithubAnswer(answer, new Date());
}
