import {
  type FetchFileCall,
  type FetchFileResult,
  type SourceFailure,
  downloadFile,
  sourceFailure,
} from '#libs/adapter-sdk';
import { textOf } from '../provider-calls/json-fields.js';
import { botToken, callTelegram, type TelegramSettings } from './telegram-api.js';
import { failureOfTelegramError } from './telegram-errors.js';

/** Maximum size for downloads by bots. Source: https://core.telegram.org/bots/api#getfile */
export const TELEGRAM_MAX_FILE_BYTES = 20 * 1024 * 1024;

const FILE_ID = /^[\w-]{1,300}$/;
/** It becomes part of a URL that contains the token. */
const FILE_PATH = /^[\w-]+(?:\/[\w.-]+)*$/;

/** The bytes of a message's file, by its `file_id`. The path that Telegram gives for them is valid for an hour. */
export async function fetchFile(call: FetchFileCall, settings: TelegramSettings): Promise<FetchFileResult> {
  if (!FILE_ID.test(call.file_path)) return refuse('not_found', 'the file does not exist');
  const file = await callTelegram('getFile', { json: { file_id: call.file_path } }, call.credentials, settings);
  if (!file.ok) {
    const isTooBig = /file is too big/i.test(file.error_detail?.provider_code ?? '');
    return isTooBig ? tooLarge() : sourceFailure(file);
  }
  const path = textOf(file.result.file_path) ?? '';
  if (!FILE_PATH.test(path) || path.includes('..'))
    return refuse('not_found', 'Telegram did not return the path of the file');
  const answer = await downloadFile(settings, {
    url: `${settings.apiUrl}/file/bot${botToken(call.credentials)}/${path}`,
    maxBytes: TELEGRAM_MAX_FILE_BYTES,
  });
  if ('ok' in answer) return sourceFailure(answer);
  if (answer.status !== 200) return sourceFailure(failureOfTelegramError(answer.status, {}));
  return answer.bytes ? { bytes: answer.bytes } : tooLarge();
}

function tooLarge(): SourceFailure {
  return refuse('too_large', `a bot can only download files of at most ${TELEGRAM_MAX_FILE_BYTES} bytes`);
}

function refuse(error: SourceFailure['error'], message: string): SourceFailure {
  return { ok: false, error, message };
}
