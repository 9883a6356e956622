import type { ReactNode } from 'react';
import { templateTexts } from '../../texts/templates.js';
import { Section } from '../../ui/page.js';
import { TemplateCards } from '../../ui/template-cards.js';

/** An empty project may be filled in one go. */
export default function TemplateOffer(): ReactNode {
  return (
    <Section title={templateTexts.offer}>
      <TemplateCards />
    </Section>
  );
}
