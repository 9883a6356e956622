import { Alert, Group, Highlight, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { Search, SearchX } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { answer, api } from '../../api/client.js';
import { useProjectId, useProjectQuery } from '../../api/project-query.js';
import { knowledgeTexts } from '../../texts/knowledge.js';
import { EmptyState, ProblemAlert } from '../../ui/notices.js';
import { RowLink } from '../../ui/rows.js';
import { TrustBadge } from './trust-badge.js';

const texts = knowledgeTexts.search;
const typingMs = 350;
const most = 20;

interface KnowledgeSearchProps {
  asked: string | undefined;
  onAsk: (asked: string | undefined) => void;
}

/** What agents find for some words: each passage and its document. */
export function KnowledgeSearch({ asked, onAsk }: KnowledgeSearchProps): ReactNode {
  const projectId = useProjectId();
  const [typed, setTyped] = useState(asked ?? '');
  const ask = useDebouncedCallback((next: string) => onAsk(next || undefined), typingMs);
  const { data, error, isFetching, refetch } = useProjectQuery(
    ['knowledge', 'search', asked],
    async (signal) => {
      const params = { query: { q: asked ?? '', limit: most } };
      return answer(api.GET('/api/v1/knowledge/search', { params, signal }));
    },
    { enabled: asked !== undefined, keep: true },
  );
  return (
    <Stack gap="md" maw={860}>
      <TextInput
        label={texts.label}
        description={texts.hint}
        placeholder={texts.placeholder}
        type="search"
        leftSection={<Search size={15} aria-hidden />}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          ask(event.currentTarget.value.trim());
        }}
      />
      {asked === undefined && <EmptyState icon={Search} {...texts.start} />}
      {error && !data && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {asked !== undefined && !data && isFetching && <Skeleton height={160} />}
      {asked !== undefined && data?.note && <Alert color="yellow">{data.note}</Alert>}
      {asked !== undefined && data?.data.length === 0 && <EmptyState icon={SearchX} {...texts.empty} />}
      {asked !== undefined &&
        data?.data.map(({ document_id: id, title, excerpt, offset, trust }) => (
          <RowLink
            key={`${id} ${offset}`}
            to={{ to: '/p/$projectId/knowledge/$documentId', params: { projectId, documentId: id } }}
          >
            <Group gap="xs">
              <Text fw={500}>{title}</Text>
              <TrustBadge trust={trust} />
              <Text size="sm" c="dimmed">
                {texts.at(offset)}
              </Text>
            </Group>
            <Text size="sm" mt={4} lineClamp={6} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              <Marked text={excerpt} words={asked} />
            </Text>
          </RowLink>
        ))}
    </Stack>
  );
}

const shortest = 4;

/** A text with the searched words highlighted. */
function Marked({ text, words }: { text: string; words: string }): ReactNode {
  const wanted = words.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length >= shortest);
  return (
    <Highlight
      component="span"
      inherit
      highlight={wanted}
      highlightStyles={{
        backgroundColor: 'light-dark(#fff0b8, #5a4a12)',
        color: 'inherit',
        borderRadius: 2,
      }}
    >
      {text}
    </Highlight>
  );
}
