import { type FetchFileCall, type FetchFileResult, type SourceFailure, sourceFailure } from '#libs/adapter-sdk';
import { EgressError } from '#libs/egress';
import { attachmentOf } from '../mail/read-mime.js';
import { readAccount } from './imap-account.js';
import { ImapFailure, imapFailure } from './imap-failure.js';
import { inFolder, type ImapNetwork } from './imap-session.js';

const ATTACHMENT = /^(\d{1,20})\/(\d{1,10})\/(\d{1,4})$/;
const notFound: SourceFailure = { ok: false, error: 'not_found', message: 'the mail is not in the folder any more' };

/** The bytes of an attachment, `<UIDVALIDITY>/<UID>/<number>`, from the mail in the mailbox. */
export async function fetchFile(
  { credentials, file_path }: FetchFileCall,
  network: ImapNetwork,
  maxBytes: number,
): Promise<FetchFileResult> {
  const [, uidValidity, uid = '', number] = ATTACHMENT.exec(file_path) ?? [];
  if (uidValidity === undefined) return { ok: false, error: 'not_found', message: 'no such file' };
  const account = readAccount(credentials);
  if ('problem' in account) return { ok: false, error: 'auth_failed', message: account.problem };
  try {
    return await inFolder(account, network, async (folder) => {
      if (folder.uidValidity !== uidValidity) return notFound;
      const { client, read } = folder;
      const query = { size: true, source: { start: 0, maxLength: maxBytes + 1 } };
      const mail = await read(() => client.fetchOne(uid, query, { uid: true }));
      if (!mail || !mail.source) return notFound;
      if (mail.source.length > maxBytes) {
        return { ok: false, error: 'too_large', message: `the mail has more than ${maxBytes} bytes` };
      }
      const found = await attachmentOf(mail.source, Number(number) - 1);
      return found ? { bytes: found.bytes, content_type: found.contentType } : notFound;
    });
  } catch (error) {
    if (error instanceof ImapFailure || error instanceof EgressError) return sourceFailure(imapFailure(error));
    throw error;
  }
}
