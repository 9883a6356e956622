import { SimpleGrid, Skeleton, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { FlaskConical } from 'lucide-react';
import type { ReactNode } from 'react';
import { useApps } from '../../../api/apps.js';
import { answer, api } from '../../../api/client.js';
import type { Schema } from '../../../api/named-schema.js';
import { simulatorTexts } from '../../../texts/simulator.js';
import { EmptyState } from '../../../ui/empty-state.js';
import { Page } from '../../../ui/page.js';
import { ProblemAlert } from '../../../ui/problem-alert.js';
import { Section } from '../../../ui/section.js';
import { SampleForm } from './sample-form.js';
import { SampleResult } from './sample-result.js';

const route = getRouteApi('/p/$projectId/simulator');

interface Sending {
  appId: string;
  sample: Schema<'SendSample'>;
}

/** Acts as the provider of an App. */
export function SimulatorPage(): ReactNode {
  const search = route.useSearch();
  const { data: apps, error } = useApps();
  const send = useMutation({
    mutationFn: ({ appId, sample }: Sending) =>
      answer(api.POST('/api/v1/apps/{id}/samples', { params: { path: { id: appId } }, body: sample })),
  });
  const receiving = (apps ?? []).filter(({ capabilities }) => capabilities.includes('receive'));
  const app = receiving.find(({ id }) => id === search.app) ?? receiving[0];
  return (
    <Page title={simulatorTexts.title} description={simulatorTexts.description}>
      <ProblemAlert error={error} />
      {!apps && !error && <Skeleton height={420} />}
      {apps && !app && <EmptyState icon={FlaskConical} {...simulatorTexts.noApps} />}
      {app && (
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md" style={{ alignItems: 'start' }}>
          <SampleForm
            key={app.id}
            app={app}
            apps={receiving}
            search={search}
            sending={send.isPending}
            onSend={(sample) => send.mutate({ appId: app.id, sample })}
          />
          <div aria-live="polite">
            {send.error && <ProblemAlert error={send.error} />}
            {send.data && <SampleResult result={send.data} />}
            {!send.data && !send.error && (
              <Section title={simulatorTexts.answer}>
                <Text c="dimmed">{simulatorTexts.waiting}</Text>
              </Section>
            )}
          </div>
        </SimpleGrid>
      )}
    </Page>
  );
}
