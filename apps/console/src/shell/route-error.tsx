import type { ErrorComponentProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { shellTexts } from '../texts/shell.js';
import { Page } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem-alert.js';

/** Shown in place of a page that failed; the rest of the console keeps working. */
export function RouteError({ error, reset }: ErrorComponentProps): ReactNode {
  return (
    <Page title={shellTexts.broken.title}>
      <ProblemAlert error={error} onRetry={reset} />
    </Page>
  );
}
