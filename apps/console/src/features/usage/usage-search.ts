import { oneOf, searchOf } from '../../app/search.js';

export const usageSpans = ['7', '30', '90'] as const;
export const usageMeasures = ['tokens', 'cost', 'calls'] as const;
export const usageGroups = ['agent', 'contact', 'model'] as const;

/** The URL parameters: how many days back, the measure, and the grouping. */
export const validateUsageSearch = searchOf({
  days: oneOf(usageSpans),
  measure: oneOf(usageMeasures),
  by: oneOf(usageGroups),
});
export type UsageMeasure = (typeof usageMeasures)[number];
export type Group = (typeof usageGroups)[number];
