import { flag, oneOf, searchOf, text } from '../../app/search.js';

/** URL parameter of the list: whether an adapter is being registered. */
export const validateAdaptersSearch = searchOf({ register: flag });

export const adapterTabs = ['overview', 'versions', 'health', 'conformance', 'settings'] as const;
export type AdapterTab = (typeof adapterTabs)[number];

export const healthHours = ['1', '24', '168'] as const;
export type HealthHours = (typeof healthHours)[number];

/** URL parameters of one adapter: the tab, the open version or run, and the time range of its health. */
export const validateAdapterSearch = searchOf({
  tab: oneOf(adapterTabs),
  version: text,
  run: text,
  hours: (value: unknown) => oneOf(healthHours)(String(value)),
});
