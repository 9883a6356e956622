import {
  downloadFile,
  type FetchFileCall,
  type FetchFileResult,
  headerValue,
  type SourceFailure,
  sourceFailure,
} from '#libs/adapter-sdk';
import { botToken, forget, serviceOf, type TeamsSettings } from './teams-api.js';

/** Maximum bytes of one file. */
const MAX_FILE_BYTES = 20 * 1024 * 1024;

/** Where Microsoft keeps files that people attach. Their addresses are signed, for some minutes, and take no token. */
const FILE_HOSTS = /^(?:[\w-]+\.)+sharepoint(?:-df)?\.(?:com|us|de|cn)$/;

/**
 * The bytes of a message's file: from the organization's SharePoint, or from the server of the conversation, which keeps
 * what was recorded or pasted and is the only one that gets the bot's token.
 */
export async function fetchFile(
  { file_path: address, credentials }: FetchFileCall,
  settings: TeamsSettings,
): Promise<FetchFileResult> {
  const url = URL.parse(address);
  if (url === null || `${url.username}${url.password}` !== '') return refuse('not_found', 'the file does not exist');
  const token = await tokenFor(url, credentials, settings);
  if (typeof token === 'object') return token;
  const headers = token !== undefined && { headers: { authorization: `Bearer ${token}` } };
  const answer = await downloadFile(settings, { url: url.href, ...headers, maxBytes: MAX_FILE_BYTES });
  if ('ok' in answer) return sourceFailure(answer);
  const { status, bytes } = answer;
  if (status === 429) return refuse('rate_limited', 'Teams answered 429');
  if (status >= 500) return refuse('provider_unavailable', `Teams answered ${status}`);
  if (status === 401 && token !== undefined) {
    forget(token);
    return refuse('auth_failed', "Teams does not accept the bot's token");
  }
  if (status === 403 && token !== undefined) return refuse('permission_denied', 'the bot may not read the file');
  if (status !== 200) return refuse('not_found', 'the file no longer exists, or its address has ended');
  if (!bytes) return refuse('too_large', `the file has more than ${MAX_FILE_BYTES} bytes`);
  const type = headerValue(answer.headers, 'content-type');
  return { bytes, ...(type !== undefined && { content_type: type }) };
}

/** @returns undefined: the address takes none */
async function tokenFor(
  url: URL,
  credentials: FetchFileCall['credentials'],
  settings: TeamsSettings,
): Promise<string | undefined | SourceFailure> {
  if (url.protocol === 'https:' && url.port === '' && FILE_HOSTS.test(url.hostname)) return undefined;
  const service = serviceOf(url.href, settings);
  if (service === undefined || new URL(service).origin !== url.origin)
    return refuse('not_found', 'the file is not at a server of Microsoft');
  const token = await botToken(credentials, settings);
  return 'ok' in token ? sourceFailure(token) : token.token;
}

function refuse(error: SourceFailure['error'], message: string): SourceFailure {
  return { ok: false, error, message };
}
