import { flag, oneOf, searchOf, text } from '../../app/search.js';

/** URL parameter of the list: whether a source is being added. */
export const validateSourcesSearch = searchOf({ add: flag });

export const sourceTabs = ['documents', 'runs', 'settings'] as const;
export type SourceTab = (typeof sourceTabs)[number];

/** URL parameters of one source: the tab, and the filter of its documents. */
export const validateSourceSearch = searchOf({
  tab: oneOf(sourceTabs),
  state: oneOf(['current', 'removed'] as const),
  prefix: text,
});
