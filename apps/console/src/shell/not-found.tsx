import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import type { ReactNode } from 'react';
import { shellTexts } from '../texts/shell.js';
import { EmptyState } from '../ui/empty-state.js';
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
