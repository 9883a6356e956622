/** What mails of web chats say around an answer, and the page of the link in them. In English, as the platform's texts are. */

const maxName = 80;

/** A name in a header or a sentence: one line, and no markup. */
const plain = (text: string): string =>
  text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/[[\]()<>*_`\\#]/g, '')
    .trim()
    .slice(0, maxName);

/** @param chat the App's name, which says its direction to people who administrate it */
export const subjectOf = (chat: string): string => `Your conversation: ${plain(chat.replace(/\s*\([^)]*\)$/, ''))}`;

/** Markdown. @param choices labels of what the answer offers @param files that do not go with it */
export function answerText(
  { text, format }: { text: string; format: 'markdown' | 'plain' },
  around: { choices: string[]; files: string[]; canReply: boolean; off: string },
): string {
  const { choices, files, canReply, off } = around;
  const notes = [
    ...(choices.length > 0 ? [`Choices: ${choices.map(plain).join(' · ')}`] : []),
    ...(files.length > 0 ? [`In the chat there is also: ${files.map(plain).join(', ')}`] : []),
  ];
  const how = canReply ? 'Reply to this mail, or write in the chat.' : 'To reply, write in the chat.';
  return [
    format === 'markdown' ? text : escaped(text),
    ...notes,
    '---',
    `You were away when this answer to your chat came. ${how} No more of these mails: ${off}`,
  ].join('\n\n');
}

export const codeText = (code: string, minutes: number, off: string): string =>
  [
    `Your code is **${code}**. Enter it in the chat within ${minutes} minutes, and answers that come while you are away go to this address.`,
    `If you did not ask for it, nothing else is sent here. No codes either: ${off}`,
  ].join('\n\n');

/** So that the text of a plain message is shown as it is. */
const escaped = (text: string): string => text.replace(/[\\`*_[\]<>#|~]/g, '\\$&');

const page = (title: string, content: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><title>${title}</title>
<style>body{font:18px/1.5 system-ui,sans-serif;max-width:36em;margin:15vh auto;padding:0 1em}button{font:inherit;padding:.5em 1em}</style>
<main><h1>${title}</h1>${content}</main></html>`;

/** Somebody follows the link of a mail. A program that looks at links presses no button. @param token that it has */
export function offPage(recipient: { email: string; off: boolean } | null): string {
  if (!recipient) return page('This link is not known', '<p>It may be too old. Nothing was changed.</p>');
  const email = html(recipient.email);
  return recipient.off
    ? page('No mails', `<p>No mail of this chat goes to ${email}.</p>${button('on', 'Send them again')}`)
    : page('Mails of a chat', `<p>Answers of this chat may go to ${email}.</p>${button('off', 'Send no more')}`);
}

const button = (to: 'on' | 'off', words: string): string =>
  `<form method="post" enctype="text/plain"><input type="hidden" name="mails" value="${to}"><button>${words}</button></form>`;

const html = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
