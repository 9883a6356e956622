import { named } from '../drawn/drawn-text.js';

/** Requests that are sent to an App to see whether it works. */
export const checkTexts = {
  verify: {
    run: 'Verify',
    repeat: 'Verify again',
    running: 'Sending requests to the App and its provider …',
    intro:
      'Checks the adapter and the provider, and sends real requests to the App’s own URL: signed, unsigned, tampered and stale.',
    passed: 'No check failed.',
    failed: (count: number) => `${count} ${count === 1 ? 'check' : 'checks'} failed.`,
    account: (user: string) => `The credentials belong to ${named(user)}.`,
    took: (ms: number) => (ms < 1 ? '< 1 ms' : `${Math.round(ms)} ms`),
    whatToDo: 'What to do:',
    details: 'What was sent and what came back',
    copyAll: 'Copy the result',
    at: 'Verified',
  },
  samples: {
    intro: 'Sends a request to the App’s public URL, as its provider would. It becomes an event like any other.',
    from: 'Sample',
    own: 'My own',
    body: 'Body',
    kind: 'How it is signed',
    kinds: {
      signed: 'As its provider does',
      unsigned: 'Unsigned',
      tampered: 'Changed after signing',
      stale: 'Signed too long ago',
    },
    only: 'Only check it, do not process it',
    send: 'Send the sample',
    answered: (status: number, ms: number) => `Answered ${status} in ${Math.round(ms)} ms`,
    noAnswer: 'No answer',
    openEvent: 'Open the event',
    duplicate: 'This was a duplicate of an earlier event.',
    sent: 'Request',
    answer: 'Answer',
    outboundOnly: 'This App only sends. It accepts no requests.',
  },
};
