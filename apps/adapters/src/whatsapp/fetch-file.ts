import {
  type FetchFileCall,
  type FetchFileResult,
  type SourceFailure,
  downloadFile,
  sourceFailure,
} from '#libs/adapter-sdk';
import { textOf } from '../provider-calls/json-fields.js';
import { accountOf, callWhatsapp, type WhatsappSettings } from './whatsapp-api.js';
import { failureOfWhatsappError } from './whatsapp-errors.js';

/** Meta takes documents of up to 100 MB; no more than this is read. */
export const WHATSAPP_MAX_FILE_BYTES = 20 * 1024 * 1024;

/** Meta's servers of files. The token goes nowhere else. */
const FILE_HOSTS = /^(?:[\w-]+\.)*(?:fbsbx\.com|facebook\.com|whatsapp\.net)$/;

/** The bytes of a message's file, by its id. The address that Meta gives for them is valid for five minutes. */
export async function fetchFile(call: FetchFileCall, settings: WhatsappSettings): Promise<FetchFileResult> {
  const account = accountOf(call.credentials);
  if ('ok' in account) return sourceFailure(account);
  if (!/^\d{1,30}$/.test(call.file_path)) return refuse('not_found', 'the file does not exist');
  const media = await callWhatsapp(call.file_path, {}, account.token, settings);
  if (!media.ok) return sourceFailure(media);
  const url = URL.parse(textOf(media.fields.url) ?? '');
  const isTheirs = url?.protocol === 'https:' && FILE_HOSTS.test(url.hostname);
  if (url === null || !(isTheirs || url.origin === new URL(settings.apiUrl).origin)) {
    return refuse('provider_unavailable', 'WhatsApp answered without an address of its own for the file');
  }
  const headers = { authorization: `Bearer ${account.token}` };
  const answer = await downloadFile(settings, { url: url.href, headers, maxBytes: WHATSAPP_MAX_FILE_BYTES });
  if ('ok' in answer) return sourceFailure(answer);
  if (answer.status !== 200) return sourceFailure(failureOfWhatsappError({ ...answer, json: undefined }, {}));
  if (!answer.bytes) return refuse('too_large', `the file has more than ${WHATSAPP_MAX_FILE_BYTES} bytes`);
  const type = textOf(media.fields.mime_type);
  return { bytes: answer.bytes, ...(type !== undefined && { content_type: type }) };
}

function refuse(error: SourceFailure['error'], message: string): SourceFailure {
  return { ok: false, error, message };
}
