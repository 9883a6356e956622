/** Who may get answers from a document. */
export const accessTexts = {
  audience: 'Who may get answers from it',
  audiences: {
    known: 'Known people',
    everyone: 'Everyone, including unknown senders',
    listed: 'Only some people and groups',
  },
  readers: 'People and groups',
  hint: 'Addresses, and group:name. They get answers in private conversations. Nobody named: no contact gets any.',
  example: 'ana@example.com, group:finance',
};
