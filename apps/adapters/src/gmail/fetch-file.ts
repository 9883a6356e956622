import { type FetchFileCall, type FetchFileResult, sourceFailure } from '#libs/adapter-sdk';
import { objectOf, textOf } from '../provider-calls/json-fields.js';
import { callGmail, type GmailHttp } from './gmail-api.js';

const MAIL = /^([\w-]{1,128})\.eml$/;
const ATTACHMENT = /^([\w-]{1,128})\/([\w-]{1,2000})$/;

/** The bytes of a mail (`<message id>.eml`), or of its attachment (`<message id>/<attachment id>`). */
export async function fetchFile(
  call: FetchFileCall,
  settings: GmailHttp & { maxFileBytes: number },
): Promise<FetchFileResult> {
  const [, mail] = MAIL.exec(call.file_path) ?? [];
  const [, holder, attachment] = ATTACHMENT.exec(call.file_path) ?? [];
  if (mail === undefined && attachment === undefined) return { ok: false, error: 'not_found', message: 'no such file' };
  const answer = await callGmail(
    call.credentials,
    {
      ...(mail !== undefined
        ? { path: `messages/${mail}`, query: [['format', 'raw']] }
        : { path: `messages/${holder}/attachments/${attachment}` }),
      // base64 in JSON.
      maxAnswerBytes: Math.ceil(settings.maxFileBytes * 1.4) + 64 * 1024,
    },
    settings,
  );
  if ('ok' in answer) return sourceFailure(answer);
  const { raw, data } = objectOf(answer.json);
  const bytes = Buffer.from(textOf(raw) ?? textOf(data) ?? '', 'base64url');
  if (bytes.length > settings.maxFileBytes) {
    return { ok: false, error: 'too_large', message: `the file has more than ${settings.maxFileBytes} bytes` };
  }
  return mail !== undefined
    ? { bytes, content_type: 'message/rfc822', fingerprint: mail }
    : { bytes, content_type: 'application/octet-stream' };
}
