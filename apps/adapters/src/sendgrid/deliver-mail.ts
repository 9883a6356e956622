import {
  deliverFailure,
  deliverParts,
  headerValue,
  splitText,
  type DeliverCall,
  type DeliverResponse,
} from '#libs/adapter-sdk';
import { mailPart, mailProblem, type MailPart } from '../mail/mail-part.js';
import { DELIVERY_ARGUMENT } from './parse-events.js';
import { callSendgrid, type SendgridHttp } from './sendgrid-api.js';
import { readSender, type Sender } from './sender-address.js';

/**
 * Sends the message with `mail/send`. SendGrid only confirms that it accepted the mail; its events report the outcome.
 */
export async function deliverMail(
  call: DeliverCall,
  settings: SendgridHttp & { maxLength: number },
): Promise<DeliverResponse> {
  const problem = mailProblem(call);
  if (problem) return problem;
  const sender = readSender(call.credentials);
  if ('problem' in sender) return deliverFailure('auth_failed', sender.problem);
  const domain = sender.email.slice(sender.email.indexOf('@') + 1);

  return deliverParts(call, splitText(call.message.text, settings.maxLength), async (part) => {
    const mail = mailPart(call, part, domain);
    const answer = await callSendgrid(call.credentials, { path: 'mail/send', json: payloadOf(mail, sender) }, settings);
    if ('ok' in answer) return answer;
    return { messageId: headerValue(answer.headers, 'x-message-id') ?? mail.messageId, threadId: mail.threadRoot };
  });
}

function payloadOf(mail: MailPart, sender: Sender): unknown {
  return {
    personalizations: [{ to: [{ email: mail.to }], custom_args: { [DELIVERY_ARGUMENT]: mail.key } }],
    from: { email: sender.email, ...(sender.name !== undefined && { name: sender.name }) },
    ...(sender.replyTo !== undefined && { reply_to: { email: sender.replyTo } }),
    subject: mail.subject,
    headers: { 'Message-ID': mail.messageId, ...mail.headers },
    // SendGrid wants the plain text first.
    content: [
      { type: 'text/plain', value: mail.text },
      ...(mail.html !== undefined ? [{ type: 'text/html', value: mail.html }] : []),
    ],
    ...(mail.files.length > 0 && {
      attachments: mail.files.map(({ name, contentType, bytes }) => ({
        content: bytes.toString('base64'),
        filename: name,
        type: contentType,
        disposition: 'attachment',
      })),
    }),
    // Agents do not write rewritten links, nor a picture that reports readers.
    tracking_settings: { click_tracking: { enable: false }, open_tracking: { enable: false } },
  };
}
