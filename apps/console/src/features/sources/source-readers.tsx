import { Button, Card, Select, Stack, Text, TextInput } from '@mantine/core';
import { Plus, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { sourceTexts } from '../../texts/sources.js';
import { AccessFields } from '../../ui/access-fields.js';
import { IconAction } from '../../ui/icon-action.js';
import { errorBeside, fieldError, ProblemAlert } from '../../ui/notices.js';
import { SaveButton } from '../../ui/save-bar.js';
import { ReportedAccess } from './reported-access.js';
import { type Source, useSourceMutation } from './use-source.js';

const texts = sourceTexts.readers;
type Rule = Source['access_rules'][number];

/** Whether the provider decides who may read, and rules by the beginning of paths. */
export function SourceReaders({ source }: { source: Source }): ReactNode {
  const { id } = source;
  const [from, setFrom] = useState(source.access_from);
  const [rules, setRules] = useState(source.access_rules);
  const change = useSourceMutation((body: Schema<'ChangeSource'>) =>
    answer(api.PATCH('/api/v1/sources/{id}', { params: { path: { id } }, body })),
  );
  const beside = rules.flatMap((_rule, at) => [`access_rules.${at}.prefix`, `access_rules.${at}.readers`]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate({ access_from: from, access_rules: rules });
      }}
    >
      <Stack gap="md">
        <ReportedAccess source={source} />
        <Select
          label={texts.from}
          data={(['provider', 'project'] as const).map((one) => ({ value: one, label: texts.froms[one] }))}
          value={from}
          allowDeselect={false}
          onChange={(next) => next && setFrom(next)}
        />
        <Text size="sm">{rules.length === 0 ? texts.noRules : texts.ruled}</Text>
        {rules.map((rule, at) => (
          <RuleFields
            // A rule has nothing but its place.
            key={at}
            at={at}
            rule={rule}
            error={change.error}
            onChange={(next) => setRules(rules.with(at, next))}
            onRemove={() => setRules(rules.toSpliced(at, 1))}
          />
        ))}
        <Button
          variant="default"
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => setRules([...rules, { prefix: '', audience: 'listed', readers: [] }])}
          style={{ alignSelf: 'flex-start' }}
        >
          {texts.add}
        </Button>
        <ProblemAlert error={errorBeside(change.error, beside)} />
        <SaveButton saving={change.isPending} saved={change.isSuccess ? sourceTexts.settings.saved : null} />
      </Stack>
    </form>
  );
}

interface RuleFieldsProps {
  at: number;
  rule: Rule;
  error: Error | null;
  onChange: (rule: Rule) => void;
  onRemove: () => void;
}

function RuleFields({ at, rule, error, onChange, onRemove }: RuleFieldsProps): ReactNode {
  return (
    <Card withBorder role="group" aria-label={texts.rule(at + 1)}>
      <Stack gap="xs">
        <TextInput
          label={texts.prefix}
          placeholder={texts.allPaths}
          value={rule.prefix}
          error={fieldError(error, `access_rules.${at}.prefix`)}
          rightSection={<IconAction label={texts.remove(at + 1)} icon={Trash2} onPress={onRemove} />}
          onChange={(event) => onChange({ ...rule, prefix: event.currentTarget.value })}
        />
        <AccessFields
          value={rule}
          error={error}
          within={`access_rules.${at}.`}
          onChange={(access) => onChange({ ...rule, ...access })}
        />
      </Stack>
    </Card>
  );
}
