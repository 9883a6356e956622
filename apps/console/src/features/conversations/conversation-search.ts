import { oneOf, searchOf, text } from '../../app/search.js';

export const sessionStatuses = ['active', 'taken_over', 'resolved', 'closed'] as const;

/** The URL parameters of the list. */
export const validateConversationSearch = searchOf({ status: oneOf(sessionStatuses), app: text, contact: text });
export type ConversationSearch = ReturnType<typeof validateConversationSearch>;
