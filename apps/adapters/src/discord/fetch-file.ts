import {
  type FetchFileCall,
  type FetchFileResult,
  headerValue,
  type SourceFailure,
  downloadFile,
  sourceFailure,
} from '#libs/adapter-sdk';
import type { DiscordSettings } from './discord-api.js';

export const DISCORD_FILES_URL = 'https://cdn.discordapp.com';

/** Maximum bytes of one file. */
const MAX_FILE_BYTES = 20 * 1024 * 1024;

/** The bytes of a message's file. Its address is signed by Discord, for about a day. */
export async function fetchFile(
  { file_path: address }: FetchFileCall,
  settings: DiscordSettings & { filesUrl: string },
): Promise<FetchFileResult> {
  const url = URL.parse(address);
  if (url?.origin !== new URL(settings.filesUrl).origin || url.username !== '' || url.password !== '') {
    return refuse('not_found', 'the file does not exist at Discord');
  }
  const answer = await downloadFile(settings, { url: url.href, maxBytes: MAX_FILE_BYTES });
  if ('ok' in answer) return sourceFailure(answer);
  const { status, headers, bytes } = answer;
  if (status === 429) return refuse('rate_limited', 'Discord answered 429');
  if (status >= 500) return refuse('provider_unavailable', `Discord answered ${status}`);
  if (status !== 200) return refuse('not_found', 'the file no longer exists, or its address has ended');
  if (!bytes) return refuse('too_large', `the file has more than ${MAX_FILE_BYTES} bytes`);
  const type = headerValue(headers, 'content-type');
  return { bytes, ...(type !== undefined && { content_type: type }) };
}

function refuse(error: SourceFailure['error'], message: string): SourceFailure {
  return { ok: false, error, message };
}
