import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { useScope } from '../../api/session.js';
import type { Schema } from '../../api/named-schema.js';
import { skillTexts } from '../../texts/skills.js';
import { uiTexts } from '../../texts/ui.js';
import { Editable } from '../../ui/editable.js';
import { EtagConflict } from '../../ui/etag-conflict.js';
import { errorBeside } from '../../ui/field-errors.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { SaveBar } from '../../ui/save-bar.js';
import { UrlTabs } from '../../ui/url-tabs.js';
import { useEditor } from '../../ui/use-editor.js';
import { SkillCredentials } from './skill-credentials.js';
import { SkillEffect } from './skill-effect.js';
import { SkillKnowledge } from './skill-knowledge.js';
import { SkillTools } from './skill-tools.js';
import { skillFields, valuesOf } from './skill-values.js';
import { SkillVersions } from './skill-versions.js';

// The tabs themselves stay open to readers without the scope.
const editable = (fields: ReactNode): ReactNode => <Editable scope="tools:write">{fields}</Editable>;

const route = getRouteApi('/p/$projectId/skills/$skillId');

/** Everything of a Skill, in tabs with one draft over all of them. */
export function SkillEditor({ skill, etag }: { skill: Schema<'SkillDetail'>; etag: string | null }): ReactNode {
  const { tab = 'knowledge' } = route.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/skills/$skillId' });
  const readOnly = !useScope('tools:write');
  const editor = useEditor({
    saved: valuesOf(skill),
    etag,
    touched: ['skills', 'agents', 'tools'],
    announce: uiTexts.saved,
    save: ({ change: body }, match) =>
      answer(
        api.PATCH('/api/v1/skills/{id}', {
          params: { path: { id: skill.id }, header: { 'If-Match': match } },
          body,
        }),
      ),
  });
  const part = { value: editor.value, onChange: editor.set, error: editor.error, readOnly };
  const { tabs } = skillTexts;
  return (
    <>
      <UrlTabs
        label={skill.name}
        value={tab}
        onChange={(next) => void navigate({ search: { tab: next } })}
        tabs={[
          { value: 'knowledge', label: tabs.knowledge, content: editable(<SkillKnowledge {...part} />) },
          { value: 'tools', label: tabs.tools, content: editable(<SkillTools {...part} leftOut={skill.left_out} />) },
          { value: 'credentials', label: tabs.credentials, content: editable(<SkillCredentials {...part} />) },
          { value: 'effect', label: tabs.effect, content: <SkillEffect skill={skill} /> },
          { value: 'versions', label: tabs.versions, content: <SkillVersions skill={skill} /> },
        ]}
      />
      <ProblemAlert error={errorBeside(editor.error, skillFields)} />
      <SaveBar {...editor.bar} />
      <EtagConflict label={skillTexts.title} {...editor.conflict} />
    </>
  );
}
