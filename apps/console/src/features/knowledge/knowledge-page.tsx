import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { lazy, type ReactNode } from 'react';
import { knowledgeTexts } from '../../texts/knowledge.js';
import { ActionButton } from '../../ui/action-button.js';
import { useReason } from '../../ui/editable.js';
import { Page } from '../../ui/page.js';
import { UrlTabs } from '../../ui/url-tabs.js';
import { AddText } from './add-text.js';
import { DocumentList, EntityList } from './lists.js';
import { KnowledgeSearch } from './knowledge-search.js';

const route = getRouteApi('/p/$projectId/knowledge');
const Meaning = lazy(() => import('./meaning.js'));

export function KnowledgePage(): ReactNode {
  const { tab = 'documents', q, name, add } = route.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/knowledge' });
  const reason = useReason('knowledge:write');
  const { tabs } = knowledgeTexts;
  const button = (
    <ActionButton
      leftSection={<Plus size={15} aria-hidden />}
      reason={reason}
      onClick={() => void navigate({ search: (before) => ({ ...before, add: true }) })}
    >
      {knowledgeTexts.add}
    </ActionButton>
  );
  return (
    <Page title={knowledgeTexts.title} description={knowledgeTexts.description} actions={button}>
      <UrlTabs
        label={knowledgeTexts.title}
        value={tab}
        onChange={(next) => void navigate({ search: { tab: next } })}
        tabs={[
          { value: 'documents', label: tabs.documents, content: <DocumentList action={button} /> },
          {
            value: 'search',
            label: tabs.search,
            content: (
              <KnowledgeSearch
                asked={q}
                onAsk={(next) => void navigate({ search: { tab: 'search', q: next }, replace: true })}
              />
            ),
          },
          {
            value: 'entities',
            label: tabs.entities,
            content: (
              <EntityList
                name={name}
                onName={(next) => void navigate({ search: { tab: 'entities', name: next }, replace: true })}
              />
            ),
          },
          { value: 'meaning', label: tabs.meaning, content: <Meaning /> },
        ]}
      />
      <AddText
        opened={add === true && reason === null}
        onClose={() => void navigate({ search: ({ add: _add, ...rest }) => rest, replace: true })}
      />
    </Page>
  );
}
