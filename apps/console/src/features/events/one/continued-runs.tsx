import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { stepTexts } from '../../../texts/workflow-steps.js';
import { ProjectLink } from '../../../ui/links.js';
import { Section } from '../../../ui/page.js';
import type { EventDetail } from './steps.js';

const texts = stepTexts.continued;

/** The runs that waited for the event; nothing where none did. */
export function ContinuedRuns({ event: { continued } }: { event: EventDetail }): ReactNode {
  if (continued.length === 0) return null;
  return (
    <Section title={texts.title}>
      {continued.map(({ id, run_id: run, step, consume }) => (
        <Text key={id}>
          <ProjectLink path={`/runs/${run}`}>
            <code>{`…${run.slice(-10)}`}</code>
          </ProjectLink>{' '}
          {texts.step(step)}. {consume && texts.consumed}
        </Text>
      ))}
    </Section>
  );
}
