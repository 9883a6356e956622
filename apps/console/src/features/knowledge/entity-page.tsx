import { Group, Skeleton, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { MoveRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { knowledgeTexts } from '../../texts/knowledge.js';
import { Page, Section } from '../../ui/page.js';
import { ProblemAlert } from '../../ui/notices.js';
import { TextLink } from '../../ui/links.js';
import { TrustBadge } from './trust-badge.js';

const route = getRouteApi('/p/$projectId/knowledge/entities/$entityId');
const texts = knowledgeTexts.entity;

export function EntityPage(): ReactNode {
  const { projectId, entityId } = route.useParams();
  const {
    data: entity,
    error,
    refetch,
  } = useProjectQuery(['knowledge', 'entity', entityId], (signal) =>
    answer(api.GET('/api/v1/knowledge/entities/{id}', { params: { path: { id: entityId } }, signal })),
  );
  return (
    <Page
      title={entity?.name ?? texts.title}
      breadcrumbs={[
        {
          label: knowledgeTexts.tabs.entities,
          to: { to: '/p/$projectId/knowledge', params: { projectId }, search: { tab: 'entities' } },
        },
      ]}
    >
      {error && !entity && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!entity && !error && <Skeleton height={320} />}
      {entity && (
        <Stack gap="md">
          <Section title={texts.statements}>
            <Stack gap="sm">
              {entity.mentions.map(({ kind, description, document_id: id, trust }) => (
                <Source key={id} projectId={projectId} documentId={id} trust={trust}>
                  {[kind, description].filter(Boolean).join(': ') || texts.noStatement}
                </Source>
              ))}
            </Stack>
          </Section>
          <Section title={texts.relations}>
            {entity.relations.length === 0 && <Text c="dimmed">{texts.noRelations}</Text>}
            <Stack gap="sm">
              {entity.relations.map(({ from, relation, to, document_id: id, trust }) => (
                <Source key={`${id} ${from} ${relation} ${to}`} projectId={projectId} documentId={id} trust={trust}>
                  <Name name={from} self={entity.name} /> {relation}{' '}
                  <MoveRight size={14} aria-hidden style={{ verticalAlign: -2 }} />{' '}
                  <Name name={to} self={entity.name} />
                </Source>
              ))}
            </Stack>
          </Section>
        </Stack>
      )}
    </Page>
  );
}

function Name({ name, self }: { name: string; self: string }): ReactNode {
  return name === self ? <strong>{name}</strong> : <>{name}</>;
}

interface SourceProps {
  projectId: string;
  documentId: string;
  trust: Schema<'DocumentView'>['trust'];
  children: ReactNode;
}

/** A statement of a document. */
function Source({ projectId, documentId, trust, children }: SourceProps): ReactNode {
  return (
    <Group justify="space-between" gap="xs" align="flex-start">
      <div style={{ minWidth: 0, flex: 1, overflowWrap: 'anywhere' }}>{children}</div>
      <Group gap="xs">
        <TrustBadge trust={trust} />
        <TextLink size="sm" to={{ to: '/p/$projectId/knowledge/$documentId', params: { projectId, documentId } }}>
          {texts.document}
        </TextLink>
      </Group>
    </Group>
  );
}
