/** A chat on pages of one’s own. */
export const webChatTexts = {
  pages: {
    title: 'On your pages',
    preview: 'Preview',
    words: 'Words of the button',
    defaultTitle: 'Questions?',
    signed: 'Visitors are signed by your server',
    tokenScript:
      '<script>window.gatehouseChatToken = () => fetch("/chat-token").then((answer) => answer.text());</script>',
    snippet: 'Put this at the end of each page',
    hint: 'The origin of a page has to be among the linked origins. The preview writes as an anonymous visitor, and its messages are answered like others.',
  },
  mail: {
    title: 'Answers by mail',
    app: 'Through the App',
    none: 'None: answers wait in the chat',
    noApps: 'No App of this project sends mail. Install SMTP, IMAP, Gmail or SendGrid first.',
    subject: 'Subject of the mails',
    subjectHint: 'Empty: one that names the App.',
    save: 'Save',
    hint: 'A visitor who has had no page open for a while (WEB_CHAT_AWAY_AFTER_MS) is sent the answer as a mail, to the address in the signed token, or to one that was confirmed with a code.',
    replies: 'A reply to such a mail continues the conversation.',
    noReplies:
      'This App receives no mail: replies go to the mailbox of its sender, and do not continue the conversation.',
  },
};
