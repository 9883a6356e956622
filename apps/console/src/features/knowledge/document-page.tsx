import { Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { projectKey, useProjectId, useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { LongText } from '../../drawn/long-text.js';
import { knowledgeTexts } from '../../texts/knowledge.js';
import { ConfirmButton } from '../../ui/action-button.js';
import { CopyText } from '../../ui/copy.js';
import { Facts } from '../../ui/facts.js';
import { JsonView } from '../../ui/json-view.js';
import { Page, Section } from '../../ui/page.js';
import { MeaningWaits } from '../../ui/meaning-failure.js';
import { ProblemAlert } from '../../ui/notices.js';
import { When } from '../../ui/when.js';
import { Readers } from './readers.js';
import { TrustBadge } from './trust-badge.js';

const route = getRouteApi('/p/$projectId/knowledge/$documentId');
const texts = knowledgeTexts.document;
const firstChars = 20_000;

export function DocumentPage(): ReactNode {
  const { projectId, documentId } = route.useParams();
  const {
    data: found,
    error,
    refetch,
  } = useProjectQuery(['knowledge', 'document', documentId], (signal) =>
    answer(api.GET('/api/v1/knowledge/{id}', { params: { path: { id: documentId } }, signal })),
  );
  const { columns, sources } = knowledgeTexts;
  return (
    <Page
      title={found?.title ?? texts.title}
      mark={found && <TrustBadge trust={found.trust} />}
      description={<CopyText text={documentId} />}
      breadcrumbs={[{ label: knowledgeTexts.title, to: { to: '/p/$projectId/knowledge', params: { projectId } } }]}
      actions={found && <DeleteDocument id={found.id} />}
    >
      {error && !found && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!found && !error && <Skeleton height={420} />}
      {found && (
        <Stack gap="md">
          {found.by_meaning === false && <MeaningWaits />}
          <Section title={texts.facts}>
            <Facts
              of={[
                [columns.source, sources[found.source]],
                [columns.audience, found.source === 'sync' && audienceOf(found)],
                [columns.chars, knowledgeTexts.chars(found.chars)],
                [texts.byMeaning, found.by_meaning !== null && texts.found[found.by_meaning ? 'meaning' : 'words']],
                [columns.created, <When at={found.created_at} />],
                [texts.uri, found.uri],
                [
                  texts.provenance,
                  Object.keys(found.provenance).length > 0 && (
                    <JsonView label={texts.provenance} value={found.provenance} depth={1} />
                  ),
                ],
              ]}
            />
          </Section>
          {found.source !== 'sync' && (
            <Section title={knowledgeTexts.readers.title}>
              <Readers key={found.id} document={found} />
            </Section>
          )}
          <Section title={texts.text}>
            <Text style={{ whiteSpace: 'pre-wrap' }}>
              <LongText text={found.text} first={firstChars} />
            </Text>
          </Section>
        </Stack>
      )}
    </Page>
  );
}

/** As its source or provider says it. */
function audienceOf({ audience, readers }: Schema<'DocumentView'>): string {
  const { audiences, readers: words } = knowledgeTexts;
  const who = readers.length > 0 ? readers.join(', ') : words.nobody;
  return `${audience === 'listed' ? who : audiences[audience]}. ${words.bySource}`;
}

function DeleteDocument({ id }: { id: string }): ReactNode {
  const may = useScope('knowledge:write');
  const projectId = useProjectId();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => answer(api.DELETE('/api/v1/knowledge/{id}', { params: { path: { id } } })),
    onSuccess: async () => {
      await navigate({ to: '/p/$projectId/knowledge', params: { projectId } });
      await queryClient.invalidateQueries({ queryKey: projectKey(projectId, ['knowledge']) });
    },
  });
  if (!may) return null;
  return (
    <>
      <ConfirmButton question={texts.removeQuestion} loading={remove.isPending} onConfirm={() => remove.mutate()}>
        {texts.remove}
      </ConfirmButton>
      <ProblemAlert error={remove.error} />
    </>
  );
}
