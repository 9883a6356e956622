import type { Credentials, DeliverFailure } from '#libs/adapter-sdk';
import { accessToken, forgetToken } from './access-token.js';
import { callWithToken, type GithubAnswer, type GithubRequest, type GithubSettings } from './github-api.js';

/** One call with the credentials: their own token, or one of their app's installation. */
export async function callGithub(
  path: string,
  request: GithubRequest,
  credentials: Credentials,
  settings: GithubSettings,
): Promise<GithubAnswer | DeliverFailure> {
  const token = await accessToken(credentials, settings);
  if ('ok' in token) return token;
  const answer = await callWithToken(path, request, token.token, settings);
  // Revoked before its time: the next call makes a new one.
  if (!answer.ok && answer.error === 'auth_failed') forgetToken(token.token);
  return answer;
}
