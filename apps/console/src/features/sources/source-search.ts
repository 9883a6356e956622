import { flag, oneOf, searchOf, text } from '../../app/search.js';

/** Of the list: whether one is being added. */
export const validateSourcesSearch = searchOf({ add: flag });

export const sourceTabs = ['documents', 'runs', 'settings'] as const;
export type SourceTab = (typeof sourceTabs)[number];

/** Of one: what shows, and which of its documents. */
export const validateSourceSearch = searchOf({
  tab: oneOf(sourceTabs),
  state: oneOf(['current', 'removed'] as const),
  prefix: text,
});
