import { headerValue, type HeaderMap } from '#libs/adapter-sdk';
import { addressesIn, addressIn } from './mail-address.js';
import { fromHeader, isGroup, listAddress } from './mail-list.js';

const LIST_HEADERS = ['list-id', 'list-post', 'list-unsubscribe'];
const MACHINE_HEADERS = ['x-autoreply', 'x-autorespond', 'feedback-id'];
const UNATTENDED_SENDER = /^(?:mailer-daemon|postmaster)@/;

/** A reply address that nobody reads. */
const UNATTENDED_REPLY = /^(?:no|do[-_.]?not)[-_.]?reply\b/;

/** Flags of a mail that no person wrote, or not to us; if any of the others is true, so is `auto_submitted`. */
export interface AutomaticMail {
  auto_submitted: boolean;
  bounce: boolean;
  mailing_list: boolean;
  notification: boolean;
}

/**
 * Whether no person wrote the mail, and what it is then: a delivery report, list mail, or a notification whose sender
 * reads no answers. Such mail is read, but not answered automatically.
 * Sources: RFC 3834 (Auto-Submitted), RFC 3464 (delivery status notifications), RFC 2919 and 2369 (lists), and older de
 * facto headers.
 */
export function automaticMail(headers: HeaderMap): AutomaticMail {
  const bounce = isBounce(headers);
  const list = listAddress(headers);
  const mailingList =
    !isGroup(headers) && (hasAny(headers, LIST_HEADERS) || /^list\b/.test(lower(headers, 'precedence')));
  const notification = UNATTENDED_REPLY.test(replyAddress(headers) ?? '');
  const submitted = lower(headers, 'auto-submitted');
  const automatic =
    (submitted !== '' && !/^no\b/.test(submitted)) ||
    /^(?:bulk|junk|auto_reply)\b/.test(lower(headers, 'precedence')) ||
    hasAny(headers, MACHINE_HEADERS) ||
    /\b(?:all|oof|autoreply)\b/.test(lower(headers, 'x-auto-response-suppress'));
  // A list that takes mails is one of people; a newsletter takes none.
  const auto_submitted = automatic || bounce || (mailingList && list === undefined) || notification;
  return { auto_submitted, bounce, mailing_list: mailingList, notification };
}

/** Where an answer goes: `Reply-To`, else `From` (RFC 5322 3.6.2), and never to the list that brought the mail. */
export function replyAddress(headers: HeaderMap): string | undefined {
  const list = listAddress(headers);
  const asked = addressesIn(headerValue(headers, 'reply-to')).find((address) => address !== list);
  return asked ?? addressIn(fromHeader(headers));
}

function hasAny(headers: HeaderMap, names: readonly string[]): boolean {
  return names.some((name) => lower(headers, name) !== '');
}

function isBounce(headers: HeaderMap): boolean {
  const type = lower(headers, 'content-type');
  if (type.startsWith('multipart/report') && !/report-type="?(?!delivery-status)[a-z]/.test(type)) return true;
  if (lower(headers, 'x-failed-recipients') !== '') return true;
  // An out-of-office reply also has an empty return path, and is no report.
  const isAnswer = /^auto-replied\b/.test(lower(headers, 'auto-submitted'));
  if (lower(headers, 'return-path') === '<>' && !isAnswer) return true;
  return UNATTENDED_SENDER.test(addressIn(headerValue(headers, 'from')) ?? '');
}

function lower(headers: HeaderMap, name: string): string {
  return (headerValue(headers, name) ?? '').trim().toLowerCase();
}
