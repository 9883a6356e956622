import type { UseQueryResult } from '@tanstack/react-query';
import { answer, api } from './client.js';
import { type Question, useProjectQuery } from './project-query.js';
import type { Schema } from './named-schema.js';

/** What can be installed in the project, the built-in Webhook App first. */
export const useListings = (): UseQueryResult<Schema<'ListingView'>[]> => useProjectQuery(...listingsQuestion);

export const listingsQuestion: Question<Schema<'ListingView'>[]> = [
  ['apps', 'listings'],
  async (signal) => (await answer(api.GET('/api/v1/listings', { signal }))).data,
];

/** The listing that an App was installed from. */
export function listingOf(
  listings: Schema<'ListingView'>[] | undefined,
  app: Schema<'AppView'>,
): Schema<'ListingView'> | undefined {
  return listings?.find((listing) =>
    app.kind === 'builtin' ? listing.kind === 'builtin' : listing.adapter?.id === app.adapter_id,
  );
}
