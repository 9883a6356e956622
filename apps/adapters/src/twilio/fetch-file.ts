import {
  type FetchFileCall,
  type FetchFileResult,
  headerValue,
  type SourceFailure,
  downloadFile,
  sourceFailure,
} from '#libs/adapter-sdk';
import { accountOf, type TwilioSettings } from './twilio-api.js';

/** Twilio takes pictures of up to 5 MB. */
const MAX_FILE_BYTES = 20 * 1024 * 1024;
const PATH = /^(\w{1,70})\/Messages\/\w{1,70}\/Media\/\w{1,70}$/;

/** The bytes of a message's file. Twilio redirects to where they are: the token does not go there. */
export async function fetchFile(call: FetchFileCall, settings: TwilioSettings): Promise<FetchFileResult> {
  const account = accountOf(call.credentials);
  if ('ok' in account) return sourceFailure(account);
  if (PATH.exec(call.file_path)?.[1] !== account.sid) return refuse('not_found', 'the file does not exist');
  const url = `${settings.apiUrl}/2010-04-01/Accounts/${call.file_path}`;
  const headers = { authorization: account.authorization };
  const answer = await downloadFile(settings, { url, headers, maxBytes: MAX_FILE_BYTES });
  if ('ok' in answer) return sourceFailure(answer);
  const at = answer.status >= 300 && answer.status < 400 ? headerValue(answer.headers, 'location') : undefined;
  const found = at === undefined ? answer : await downloadFile(settings, { url: at, maxBytes: MAX_FILE_BYTES });
  if ('ok' in found) return sourceFailure(found);
  if (found.status === 404) return refuse('not_found', 'the file no longer exists');
  if (found.status !== 200) return refuse('provider_unavailable', `Twilio answered ${found.status}`);
  if (!found.bytes) return refuse('too_large', `the file has more than ${MAX_FILE_BYTES} bytes`);
  const type = headerValue(found.headers, 'content-type');
  return { bytes: found.bytes, ...(type !== undefined && { content_type: type }) };
}

function refuse(error: SourceFailure['error'], message: string): SourceFailure {
  return { ok: false, error, message };
}
