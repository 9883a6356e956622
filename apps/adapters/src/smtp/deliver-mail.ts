import { type DeliverCall, deliverFailure, deliverParts, type DeliverResponse, splitText } from '#libs/adapter-sdk';
import { EgressError } from '#libs/egress';
import { composeMime } from '../mail/compose-mime.js';
import { mailPart, mailProblem } from '../mail/mail-part.js';
import { readAccount } from './smtp-account.js';
import { deliveryFailureOf, SmtpFailure } from './smtp-failure.js';
import { openSession, type SmtpNetwork, type SmtpSession } from './smtp-session.js';

/** Hands the message to the server, all its parts over one connection. */
export async function deliverMail(
  call: DeliverCall,
  settings: SmtpNetwork & { maxLength: number },
): Promise<DeliverResponse> {
  const problem = mailProblem(call);
  if (problem) return problem;
  const account = readAccount(call.credentials);
  if ('problem' in account) return deliverFailure('auth_failed', account.problem);
  const domain = account.from.slice(account.from.indexOf('@') + 1);

  let session: SmtpSession | undefined;
  try {
    return await deliverParts(call, splitText(call.message.text, settings.maxLength), async (part) => {
      const mail = mailPart(call, part, domain);
      const message = await composeMime(mail, account.from);
      try {
        session ??= await openSession(account, settings);
        await session.send({ from: account.from, to: mail.to }, message);
      } catch (error) {
        if (error instanceof SmtpFailure || error instanceof EgressError) return deliveryFailureOf(error);
        throw error;
      }
      return { messageId: mail.messageId, threadId: mail.threadRoot };
    });
  } finally {
    session?.close();
  }
}
