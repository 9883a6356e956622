import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { own } from '../../own.js';
import type { DocPage } from './doc-page.js';

const folder = '../../../../../docs/';

/** Each page is a file of its own, loaded when somebody reads it. `build/doc-pages.ts` makes them. */
const pages = import.meta.glob<DocPage>(['../../../../../docs/**/*.md', '!../../../../../docs/decisions/**'], {
  query: '?doc',
  import: 'default',
});

/** @param name as in `topics`; the answer is null for a page that is not there */
export const useDocPage = (name: string): UseQueryResult<DocPage | null> =>
  useQuery({
    queryKey: ['docs', name],
    queryFn: async () => (await own(pages, `${folder}${name}.md`)?.()) ?? null,
    // It changes with the console alone.
    staleTime: Number.POSITIVE_INFINITY,
  });
