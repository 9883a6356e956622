import { Skeleton } from '@mantine/core';
import { getRouteApi, useLocation } from '@tanstack/react-router';
import { BookOpenText } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { useProjectId } from '../../api/project-query.js';
import { docsTexts } from '../../texts/docs.js';
import { useDocPage } from '../../ui/docs/doc-files.js';
import { type DocPage, plainText, sectionsOf, titleOf } from '../../ui/docs/doc-page.js';
import { DocText, headingId } from '../../ui/docs/doc-text.js';
import { LinkAnchor } from '../../ui/links.js';
import { EmptyState, ProblemAlert } from '../../ui/notices.js';
import { Page } from '../../ui/page.js';
import classes from './docs-page.module.css';

const route = getRouteApi('/p/$projectId/docs');
const firstPage = 'README';

/** A page of the documentation of this release. */
export function DocsPage(): ReactNode {
  const projectId = useProjectId();
  const { page = firstPage } = route.useSearch();
  const { data, error, refetch } = useDocPage(page);
  const start = { to: '/p/$projectId/docs' as const, params: { projectId }, search: {} };
  const { title, rest } = titleOf(data ?? []);
  return (
    <Page
      title={plainText(title) || docsTexts.title}
      breadcrumbs={page === firstPage ? [] : [{ label: docsTexts.title, to: start }]}
    >
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Skeleton height={420} aria-label={docsTexts.loading} />}
      {data === null && (
        <EmptyState
          icon={BookOpenText}
          title={docsTexts.none.title}
          text={docsTexts.none.text(page)}
          action={<LinkAnchor to={start}>{docsTexts.all}</LinkAnchor>}
        />
      )}
      {data && <WholePage key={page} page={rest} name={page} />}
    </Page>
  );
}

function WholePage({ page, name }: { page: DocPage; name: string }): ReactNode {
  const projectId = useProjectId();
  const hash = useLocation({ select: (location) => location.hash });
  useEffect(() => {
    const heading = hash === '' ? null : document.getElementById(headingId(hash));
    heading?.scrollIntoView();
    heading?.focus({ preventScroll: true });
  }, [hash]);
  const sections = sectionsOf(page);
  const to = { to: '/p/$projectId/docs' as const, params: { projectId }, search: { page: name } };
  return (
    <div className={classes.page}>
      {sections.length > 1 && (
        <nav className={classes.sections} aria-label={docsTexts.sections}>
          <ul>
            {sections.map(({ anchor, of }) => (
              <li key={anchor}>
                <LinkAnchor to={{ ...to, hash: anchor }} size="sm" c="dimmed">
                  {plainText(of)}
                </LinkAnchor>
              </li>
            ))}
          </ul>
        </nav>
      )}
      <div className={classes.text}>
        <DocText nodes={page} level={2} />
      </div>
    </div>
  );
}
