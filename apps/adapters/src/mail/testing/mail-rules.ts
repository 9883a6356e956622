import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '#libs/adapter-sdk';
import { mailOf } from './mail-of.js';

/** A rule of what becomes of a mail. The tests read them, and `scripts/reference.mjs` prints them. */
export interface MailRule {
  rule: string;
  from: string;
  subject?: string;
  /** The body in UTF-8; or with `headers`, as these say, in base64 where it is in another charset. */
  text?: string;
  html?: string;
  base64?: string;
  /** The whole mail in base64. */
  raw?: string;
  headers?: Record<string, string>;
  expect: {
    message?: string;
    event_type?: string;
    sender?: string;
    is_bot?: boolean;
    /** Its beginning. */
    quoted?: string;
    signature?: string;
    metadata?: JsonObject;
  };
}

export function mailRules(): MailRule[] {
  const file = join(import.meta.dirname, '../inbound-rules.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { rules: MailRule[] }).rules;
}

export function mailOfRule({ subject, text, html, base64, raw, headers = {} }: MailRule): Buffer {
  if (raw !== undefined) return Buffer.from(raw, 'base64');
  const type = `text/${html === undefined ? 'plain' : 'html'}; charset=utf-8`;
  return mailOf(
    {
      ...(subject !== undefined && { Subject: `=?utf-8?B?${Buffer.from(subject).toString('base64')}?=` }),
      'MIME-Version': '1.0',
      'Content-Type': type,
      'Content-Transfer-Encoding': '8bit',
      ...headers,
    },
    base64 === undefined ? (text ?? html ?? '').replaceAll('\n', '\r\n') : Buffer.from(base64, 'base64'),
  );
}
