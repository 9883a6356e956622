import type { components } from './schema.js';

/** The API's shapes by their names: `Schema<'EventView'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];
