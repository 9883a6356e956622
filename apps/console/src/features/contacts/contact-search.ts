import { oneOf, searchOf, text } from '../../app/search.js';

export const contactStatuses = ['unknown', 'known', 'blocked'] as const;

/** What the URL of the list says. */
export const validateContactSearch = searchOf({ status: oneOf(contactStatuses), search: text });
export type ContactSearch = ReturnType<typeof validateContactSearch>;
