import { Button } from '@mantine/core';
import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { CloudOff, Compass } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { connection, unreachableCode } from '../api/connection.js';
import { isProblem } from '../api/problem.js';
import { shellTexts } from '../texts/shell.js';
import { EmptyState, ProblemAlert } from '../ui/notices.js';
import { Page } from '../ui/page.js';

export function NotFound(): ReactNode {
  const { title, text, action } = shellTexts.notFound;
  return (
    <Page title={title}>
      <EmptyState
        icon={Compass}
        title={title}
        text={text}
        action={<Button renderRoot={(props) => <Link {...props} to="/" />}>{action}</Button>}
      />
    </Page>
  );
}

/** Shown in place of a page that failed; the rest of the console keeps working. */
export function RouteError({ error, reset }: ErrorComponentProps): ReactNode {
  if (isAway(error) && !wasJustOpenedAnew()) return <Away />;
  return (
    <Page title={shellTexts.broken.title}>
      <ProblemAlert error={error} onRetry={reset} />
    </Page>
  );
}

/** A page whose code or data could not be fetched: it opens as soon as Gatehouse answers. */
function Away(): ReactNode {
  useEffect(() => {
    connection.reportLost();
    return connection.subscribe(() => {
      if (connection.isLost()) return;
      sessionStorage.setItem(openedAnew, String(Date.now()));
      // A browser does not fetch a module again that failed, and a new release has other files.
      window.location.reload();
    });
  }, []);
  const { title, text } = shellTexts.away;
  return (
    <Page title={title}>
      <EmptyState icon={CloudOff} title={title} text={text} />
    </Page>
  );
}

const openedAnew = 'gatehouse-opened-anew';
const soonMs = 10_000;

/** What fails again at once fails for another reason, which is shown. */
const wasJustOpenedAnew = (): boolean => Date.now() - Number(sessionStorage.getItem(openedAnew) ?? 0) < soonMs;

const isAway = (error: unknown): boolean =>
  isProblem(error, 'connection_lost') || (error instanceof Error && error.message === unreachableCode);
