import {
  type FetchFileCall,
  type FetchFileResult,
  headerValue,
  type SourceFailure,
  downloadFile,
  sourceFailure,
} from '#libs/adapter-sdk';
import { isHeaderSafe } from '../provider-calls/header-safety.js';
import { textOf } from '../provider-calls/json-fields.js';
import type { SlackSettings } from './slack-api.js';

export const SLACK_FILES_URL = 'https://files.slack.com';

/** Maximum bytes of one file. */
const MAX_FILE_BYTES = 20 * 1024 * 1024;

/**
 * The bytes of a message's file, by its `url_private`. The token is sent to Slack's own file server and nowhere else.
 */
export async function fetchFile(
  { credentials, file_path: address }: FetchFileCall,
  settings: SlackSettings & { filesUrl: string },
): Promise<FetchFileResult> {
  const url = URL.parse(address);
  if (url?.origin !== new URL(settings.filesUrl).origin || url.username !== '' || url.password !== '') {
    return refuse('not_found', 'the file does not exist at Slack');
  }
  const token = textOf(credentials.token) ?? textOf(credentials.access_token);
  if (token === undefined || !isHeaderSafe(token)) return refuse('auth_failed', 'no usable bot token is set');
  const headers = { authorization: `Bearer ${token}` };
  const answer = await downloadFile(settings, { url: url.href, headers, maxBytes: MAX_FILE_BYTES });
  if ('ok' in answer) return sourceFailure(answer);
  const type = headerValue(answer.headers, 'content-type');
  const failed = refusalOf(answer.status) ?? signInPage(type, url.pathname);
  if (failed) return failed;
  if (!answer.bytes) return refuse('too_large', `the file has more than ${MAX_FILE_BYTES} bytes`);
  return { bytes: answer.bytes, ...(type !== undefined && { content_type: type }) };
}

function refusalOf(status: number): SourceFailure | undefined {
  if (status === 200) return undefined;
  if (status === 404 || status === 410) return refuse('not_found', 'the file no longer exists');
  if (status === 429) return refuse('rate_limited', 'Slack answered 429');
  // A redirect leads to the sign-in page.
  if (status < 500) return refuse('permission_denied', `Slack answered ${status}: the token needs files:read`);
  return refuse('provider_unavailable', `Slack answered ${status}`);
}

/** Without the scope Slack may also answer with its sign-in page, as if that were the file. */
function signInPage(type: string | undefined, path: string): SourceFailure | undefined {
  if (!type?.startsWith('text/html') || /\.x?html?$/i.test(path)) return undefined;
  return refuse('permission_denied', 'Slack answered with an HTML page: the token needs files:read');
}

function refuse(error: SourceFailure['error'], message: string): SourceFailure {
  return { ok: false, error, message };
}
