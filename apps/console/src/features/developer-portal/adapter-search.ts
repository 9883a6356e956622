import { flag, oneOf, searchOf, text } from '../../app/search.js';

/** Of the list: whether an adapter is being registered. */
export const validateAdaptersSearch = searchOf({ register: flag });

export const adapterTabs = ['overview', 'versions', 'health', 'conformance', 'settings'] as const;
export type AdapterTab = (typeof adapterTabs)[number];

export const healthHours = ['1', '24', '168'] as const;
export type HealthHours = (typeof healthHours)[number];

/** Of one: what shows; the version or run that is open; how far back its health is shown. */
export const validateAdapterSearch = searchOf({
  tab: oneOf(adapterTabs),
  version: text,
  run: text,
  hours: (value: unknown) => oneOf(healthHours)(String(value)),
});
