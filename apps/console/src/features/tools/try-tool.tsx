import { Alert, Button, Group, Select, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { CircleCheck, CircleX, Eye, Play } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useScope } from '../../api/session.js';
import { useSkills } from '../../api/choices.js';
import { toolTexts } from '../../texts/tools.js';
import { ActionButton, ConfirmAction } from '../../ui/action-button.js';
import { useReason } from '../../ui/editable.js';
import { JsonEditor } from '../../ui/code-editor.js';
import { ProblemAlert } from '../../ui/notices.js';
import { jsonObject } from '../../ui/json-object.js';
import { fieldsOf, SchemaFields } from '../../ui/schema-fields.js';
import { Section } from '../../ui/page.js';
import { useRefresh } from '../../api/use-change.js';
import { CodeBlock } from '../../ui/code-block.js';
import { JsonView } from '../../ui/json-view.js';
import { Rehearsal } from './rehearsal.js';

const texts = toolTexts.try;
type Arguments = Record<string, unknown>;

/** Calls a tool by hand: its arguments by schema or as JSON, then its answer and output. */
export function TryTool({ tool, unsaved = false }: { tool: Schema<'ToolView'>; unsaved?: boolean }): ReactNode {
  const reason = useReason('tools:write');
  const refresh = useRefresh('tools');
  const [given, setGiven] = useState<Arguments>({});
  const [json, setJson] = useState<string | null>(null);
  const [skill, setSkill] = useState<string | null>(null);
  const typed = json === null ? given : jsonObject(json);
  const attempt = useMutation({
    mutationFn: (args: Arguments) => {
      const body = { arguments: args, ...(skill ? { skill_id: skill } : {}) };
      return answer(api.POST('/api/v1/tools/{id}/try', { params: { path: { id: tool.id } }, body }));
    },
    onSettled: refresh,
  });
  const rehearsal = useMutation({
    mutationFn: (args: Arguments) => {
      const body = { arguments: args, ...(skill ? { skill_id: skill } : {}) };
      return answer(api.POST('/api/v1/tools/{id}/rehearse', { params: { path: { id: tool.id } }, body }));
    },
    onMutate: () => attempt.reset(),
  });
  if (tool.source === 'builtin')
    return (
      <Section title={texts.title}>
        <Text c="dimmed">{texts.builtin}</Text>
      </Section>
    );
  /** What was rehearsed is another call from now on. */
  const changes =
    <T,>(set: (value: T) => void) =>
    (value: T): void => {
      rehearsal.reset();
      set(value);
    };
  const swap = (): void => {
    if (json === null) setJson(JSON.stringify(given, null, 2));
    else {
      setGiven(typed ?? given);
      setJson(null);
    }
  };
  const go = (): void => {
    rehearsal.reset();
    if (typed) attempt.mutate(typed);
  };
  const call = {
    leftSection: <Play size={14} aria-hidden />,
    reason,
    loading: attempt.isPending,
    disabled: typed === null,
  };
  return (
    <Section
      title={texts.title}
      actions={
        <Button variant="subtle" color="gray" size="compact-sm" onClick={swap}>
          {json === null ? texts.asJson : texts.asFields}
        </Button>
      }
    >
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {unsaved ? toolTexts.python.unsaved : texts.hints[tool.grade]}
        </Text>
        {json !== null && (
          <JsonEditor
            label={texts.arguments}
            value={json}
            onChange={changes(setJson)}
            error={typed ? undefined : texts.noJson}
            height={120}
          />
        )}
        {json === null && fieldsOf(tool.input_schema).length === 0 && (
          <Text size="sm">{toolTexts.one.noArguments}</Text>
        )}
        {json === null && <SchemaFields schema={tool.input_schema} value={given} onChange={changes(setGiven)} />}
        {tool.source === 'python' && tool.credentials.length > 0 && (
          <SkillSelect toolId={tool.id} value={skill} onChange={changes(setSkill)} />
        )}
        <Group>
          {tool.grade === 'read' ? (
            <ActionButton {...call} onClick={go}>
              {texts.go}
            </ActionButton>
          ) : (
            <ConfirmAction {...call} question={texts.questions[tool.grade]} confirm={texts.goForReal} onConfirm={go}>
              {texts.goAsked}
            </ConfirmAction>
          )}
          <Button
            variant="default"
            leftSection={<Eye size={14} aria-hidden />}
            loading={rehearsal.isPending}
            disabled={typed === null}
            onClick={() => typed && rehearsal.mutate(typed)}
          >
            {toolTexts.rehearsal.button}
          </Button>
        </Group>
        <ProblemAlert error={attempt.error ?? rehearsal.error} />
        {rehearsal.data && <Rehearsal of={rehearsal.data} />}
        {attempt.data && <TryAnswer answer={attempt.data} python={tool.source === 'python'} />}
      </Stack>
    </Section>
  );
}

interface SkillSelectProps {
  toolId: string;
  value: string | null;
  onChange: (id: string | null) => void;
}

/** Whose credentials a trial call may use. Needs `credentials:write`, because the source may print them. */
function SkillSelect({ toolId, value, onChange }: SkillSelectProps): ReactNode {
  const may = useScope('credentials:write');
  const { data: skills = [] } = useSkills();
  const having = skills.filter(({ tools }) => tools.some(({ tool }) => tool === toolId));
  if (!may || having.length === 0) return null;
  return (
    <Select
      label={texts.skill}
      placeholder={texts.noSkill}
      clearable
      data={having.map(({ id, name }) => ({ value: id, label: name }))}
      value={value}
      onChange={onChange}
    />
  );
}

/** The result or the error of a trial call, and what it printed. */
function TryAnswer({ answer, python }: { answer: Schema<'TryAnswer'>; python: boolean }): ReactNode {
  const { ok, content, is_error, structured, result, stdout, truncated, duration_ms, error, message, line, note } =
    answer;
  const good = ok && !is_error;
  const Icon = good ? CircleCheck : CircleX;
  const title = good ? texts.ok(duration_ms) : [texts.failed, line && texts.atLine(line)].filter(Boolean).join(' ');
  return (
    <Stack gap="sm" role="status">
      <Alert variant="light" color={good ? 'teal' : 'red'} icon={<Icon size={18} aria-hidden />} title={title}>
        {(message ?? error) ? (
          <>
            <Text style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>{message}</Text>
            {error && (
              <Text size="sm">
                {texts.code} <code>{error}</code>
              </Text>
            )}
          </>
        ) : null}
      </Alert>
      {note !== undefined && (
        <Alert variant="light" color="yellow">
          {note}
        </Alert>
      )}
      {content !== undefined && <CodeBlock label={texts.result} code={content} wrap />}
      {structured !== undefined && <JsonView label={texts.result} value={structured} />}
      {python && ok && <JsonView label={texts.result} value={result} />}
      {python && (
        <div>
          <Text size="sm" fw={500} mb={4}>
            {texts.stdout}
          </Text>
          {stdout ? (
            <CodeBlock label={texts.stdout} code={stdout} wrap />
          ) : (
            <Text size="sm" c="dimmed">
              {texts.nothingPrinted}
            </Text>
          )}
        </div>
      )}
      {truncated && (
        <Text size="sm" c="dimmed">
          {texts.truncated}
        </Text>
      )}
    </Stack>
  );
}
