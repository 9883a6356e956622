import { Button } from '@mantine/core';
import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import type { ReactNode } from 'react';
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
  return (
    <Page title={shellTexts.broken.title}>
      <ProblemAlert error={error} onRetry={reset} />
    </Page>
  );
}
