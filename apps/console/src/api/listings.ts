import type { UseQueryResult } from '@tanstack/react-query';
import { answer, api } from './client.js';
import { useProjectQuery } from './project-query.js';
import type { Schema } from './named-schema.js';

/** What can be installed in the project, the built-in Webhook App first. */
export function useListings(): UseQueryResult<Schema<'ListingView'>[]> {
  return useProjectQuery(['apps', 'listings'], async (signal) => {
    const { data } = await answer(api.GET('/api/v1/listings', { signal }));
    return data;
  });
}

/** What an App was installed from. */
export function listingOf(
  listings: Schema<'ListingView'>[] | undefined,
  app: Schema<'AppView'>,
): Schema<'ListingView'> | undefined {
  return listings?.find((listing) =>
    app.kind === 'builtin' ? listing.kind === 'builtin' : listing.adapter?.id === app.adapter_id,
  );
}
