import { searchOf, text } from '../../../app/search.js';

/** What the URL of an event says: which stations differ from how they stand at first, and the filter that is tried. */
export const validateEventPageSearch = searchOf({
  toggled: text,
  test: (value) => (typeof value === 'string' ? value : undefined),
});
