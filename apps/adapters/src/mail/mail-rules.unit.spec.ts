import { growth } from '#libs/testing';
import { htmlLines } from './html-lines.js';
import { textLines } from './mail-line.js';
import { messagesOf } from './testing/mail-messages.js';
import { mailOfRule, mailRules } from './testing/mail-rules.js';
import { visibleReply } from './visible-reply.js';

describe('a mail, by each adapter', () => {
  it.each(mailRules().map((one) => [one.rule, one] as const))('%s', async (_rule, one) => {
    const { quoted, signature, metadata = {}, ...fields } = one.expect;
    for (const message of await messagesOf(mailOfRule(one))) {
      expect(message).toMatchObject(fields);
      expect(message.metadata).toMatchObject(metadata);
      expect(message.metadata?.signature).toBe(signature);
      expect(message.metadata?.quoted?.trimStart().slice(0, quoted?.length)).toBe(quoted);
    }
  });

  it('loses no word', () => {
    const wordsOf = (text: string): string[] => (text.match(/[\p{L}\p{N}]+/gu) ?? []).sort();
    for (const { subject, text, html } of mailRules().filter(({ headers }) => !headers)) {
      const lines = text === undefined ? htmlLines(html ?? '') : textLines(text);
      const { message, quoted = '', signature = '' } = visibleReply(lines, subject);
      const all = lines.map((line) => line.text).join('\n');
      expect(wordsOf(`${message}\n${quoted}\n${signature}`)).toEqual(wordsOf(all));
    }
  });

  it.each([
    'On 1 a@b ',
    'On 1:1 <a@b>\n',
    '> a\nb\n',
    'From: a\n',
    '-- \n',
    '____________\n',
    '\n',
    'wrote: ',
    '2026年',
  ])('is split in linear time among any number of %j', (piece) => {
    const split = (text: string) => visibleReply(textLines(text), 'Re');
    expect(growth(10_000, (times) => `words ${piece.repeat(times)}`, split)).toBeLessThan(1.5);
  });
});
