import type { Credentials } from '#libs/adapter-sdk';
import { isHeaderText } from '../mail/header-text.js';
import { isMailAddress } from '../mail/mail-address.js';

export interface Sender {
  email: string;
  name?: string;
  replyTo?: string;
}

/** The sender of mails; otherwise what is wrong with the record, without any value. */
export function readSender(credentials: Credentials): Sender | { problem: string } {
  const text = (name: string): string => {
    const value = credentials[name];
    return typeof value === 'string' ? value.trim() : '';
  };
  const [email, name, replyTo] = [text('from_email'), text('from_name'), text('reply_to')];
  if (!isMailAddress(email)) return { problem: 'from_email must be one mail address without a name' };
  if (!isHeaderText(name) || name.length > 200)
    return { problem: 'from_name must be one line of at most 200 characters' };
  if (replyTo !== '' && !isMailAddress(replyTo)) return { problem: 'reply_to must be one mail address without a name' };
  return { email, ...(name !== '' && { name }), ...(replyTo !== '' && { replyTo }) };
}
