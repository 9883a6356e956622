import type { components } from './schema.js';

/** The API's schemas by name: `Schema<'EventView'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];
