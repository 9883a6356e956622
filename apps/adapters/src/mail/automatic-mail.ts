import { headerValue, type HeaderMap } from '#libs/adapter-sdk';
import { addressIn } from './mail-address.js';

const UNATTENDED_SENDER = /^(?:mailer-daemon|postmaster)@/;

/**
 * Whether no person wrote the mail, and whether it reports a failed delivery. Neither should be answered by itself.
 * Sources: RFC 3834 (Auto-Submitted), RFC 3464 (delivery status notifications), and the headers in use before them.
 */
export function automaticMail(headers: HeaderMap): { auto_submitted: boolean; bounce: boolean } {
  const bounce = isBounce(headers);
  const submitted = lower(headers, 'auto-submitted');
  const automatic =
    bounce ||
    (submitted !== '' && !/^no\b/.test(submitted)) ||
    /^(?:bulk|list|junk|auto_reply)\b/.test(lower(headers, 'precedence')) ||
    ['x-autoreply', 'x-autorespond', 'list-id', 'list-unsubscribe', 'feedback-id'].some((name) =>
      lower(headers, name),
    ) ||
    /\b(?:all|oof|autoreply)\b/.test(lower(headers, 'x-auto-response-suppress'));
  return { auto_submitted: automatic, bounce };
}

function isBounce(headers: HeaderMap): boolean {
  const type = lower(headers, 'content-type');
  if (type.startsWith('multipart/report') && !/report-type="?(?!delivery-status)[a-z]/.test(type)) return true;
  if (lower(headers, 'x-failed-recipients') !== '') return true;
  if (lower(headers, 'return-path') === '<>') return true;
  return UNATTENDED_SENDER.test(addressIn(headerValue(headers, 'from')) ?? '');
}

function lower(headers: HeaderMap, name: string): string {
  return (headerValue(headers, name) ?? '').trim().toLowerCase();
}
