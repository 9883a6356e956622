import { named } from '../drawn/drawn-text.js';

export const contactTexts = {
  title: 'Contacts',
  one: 'Contact',
  description: 'Who writes to your Apps, who may, and who waits to be admitted.',
  statuses: { unknown: 'Held', known: 'Known', blocked: 'Blocked' },
  mergedBadge: 'Merged',
  perDay: (budget: number | null) => (budget === null ? 'No limit' : `${budget} a day`),
  columns: { name: 'Name', status: 'State', budget: 'Messages', since: 'Since' },
  filters: { search: 'Name', status: 'State', anyStatus: 'Any state' },
  empty: { title: 'No contacts yet', text: 'Whoever writes to an App that identifies its senders becomes a contact.' },
  emptyFiltered: { title: 'No contact matches', text: 'Change or clear the filters.' },
  held: {
    title: 'Waiting to be admitted',
    count: (shown: number, more: boolean) => `${shown}${more ? '+' : ''}`,
  },
  actions: {
    admit: 'Admit',
    admitted: (name: string, released: number) =>
      released === 0
        ? `${named(name)} is admitted.`
        : `${named(name)} is admitted. ${released} held ${released === 1 ? 'message was' : 'messages were'} released.`,
    block: 'Block',
    blockQuestion: (name: string) => `Messages from ${named(name)} reach nobody from now on. They stay in Events.`,
    unblock: 'Unblock',
  },
  form: {
    title: 'About',
    budget: 'Messages a day',
    budgetHint: 'Messages over the limit wait for a person. Days are UTC.',
    noBudget: 'No limit',
  },
  identities: {
    title: 'Identities',
    none: 'It has no identities of its own: a merge moved them.',
    seen: 'last seen',
    until: 'until',
    resume: 'Resume',
  },
  merge: {
    title: 'The same person elsewhere',
    counted: 'Merged into this contact:',
    countedTo: 'Merged into',
    unmerge: 'Unmerge',
    label: 'Merge into another contact',
    placeholder: 'Search by name',
    nothingFound: 'No contact with this name',
    chooseFirst: 'Choose the other contact first.',
    action: 'Merge',
    question: (one: string, other: string) =>
      `Messages from ${named(one)} then count as sent by ${named(other)}. You can undo this.`,
  },
  messages: {
    title: 'Messages',
    conversations: 'Conversations',
    text: 'Message',
    app: 'App',
    outcome: 'Outcome',
    at: 'Received',
    empty: { title: 'No messages', text: 'No message of this contact is stored.' },
  },
  pairing: {
    open: 'Create a pairing code',
    title: 'Hand over this code',
    explained: 'The first sender who sends this code to the App is admitted as a contact. It works once.',
    app: 'App',
    code: 'Code',
    action: 'Create',
  },
  palette: { lastMessage: 'Last message of', noText: 'a message without text' },
};
