import { oneOf, searchOf, text } from '../../app/search.js';

export const contactStatuses = ['unknown', 'known', 'blocked'] as const;

/** The URL parameters of the list. */
export const validateContactSearch = searchOf({ status: oneOf(contactStatuses), search: text });
export type ContactSearch = ReturnType<typeof validateContactSearch>;
