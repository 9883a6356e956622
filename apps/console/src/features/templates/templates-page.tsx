import type { ReactNode } from 'react';
import { templateTexts } from '../../texts/templates.js';
import { Page } from '../../ui/page.js';
import { TemplateCards } from '../../ui/template-cards.js';

export function TemplatesPage(): ReactNode {
  return (
    <Page title={templateTexts.title} description={templateTexts.description}>
      <TemplateCards />
    </Page>
  );
}
