import { oneOf, searchOf } from '../../app/search.js';

export const usageSpans = ['7', '30', '90'] as const;
export const usageMeasures = ['tokens', 'cost', 'calls'] as const;
export const usageGroups = ['agent', 'contact', 'model'] as const;

/** What the URL says: how many days back, what is counted, and by whom. */
export const validateUsageSearch = searchOf({
  days: oneOf(usageSpans),
  measure: oneOf(usageMeasures),
  by: oneOf(usageGroups),
});
export type UsageMeasure = (typeof usageMeasures)[number];
