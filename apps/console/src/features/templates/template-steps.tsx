import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/client.js';
import { templateTexts as texts } from '../../texts/templates.js';
import { ProjectLink } from '../../ui/links.js';
import { Section } from '../../ui/page.js';
import { Step } from '../../ui/step.js';

type Place = Schema<'OpenStepView'>['resource'];

/** Where a step is done: a list, or the page of a thing. */
const folders: Readonly<Record<Place['kind'], `/${string}`>> = {
  models: '/models',
  agent: '/agents',
  skill: '/skills',
  app: '/integrations',
  apps: '/integrations',
  knowledge: '/knowledge',
};

/** What a template needs and cannot make. Each step ticks itself off. */
export function TemplateSteps({ template: { open_steps: steps } }: { template: Schema<'TemplateView'> }): ReactNode {
  return (
    <Section title={texts.steps}>
      <Stack gap="lg" component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
        {steps.map(({ kind, title, text, done, resource }, at) => (
          <Step
            key={kind}
            number={at + 1}
            done={done}
            title={title}
            text={text}
            link={
              <ProjectLink path={pathOf(resource)} size="sm" aria-label={`${texts.open}: ${title}`}>
                {texts.open}
              </ProjectLink>
            }
          />
        ))}
      </Stack>
    </Section>
  );
}

const pathOf = ({ kind, id }: Place): `/${string}` => (id === null ? folders[kind] : `${folders[kind]}/${id}`);
