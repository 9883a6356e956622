import { ActionIcon, Button, Group, Input, Select, Stack, TextInput } from '@mantine/core';
import { Plus, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useApps } from '../../api/choices.js';
import { alertTexts } from '../../texts/alerts.js';
import { fieldError } from '../../ui/notices.js';
import type { RuleFieldsProps } from './rule-fields.js';

const texts = alertTexts.fields;
/** The API takes no more. */
const most = 5;

/** Where alerts go: Apps that send, each with an address. */
export function ReceiverFields({ value: { receivers }, error, onChange }: RuleFieldsProps): ReactNode {
  const { data: apps, isPending } = useApps();
  const chosen = receivers.map(({ app_id: id }) => id);
  const sending = (apps ?? []).filter(
    ({ id, capabilities, state }) => chosen.includes(id) || (capabilities.includes('send') && state !== 'retired'),
  );
  const change = (index: number, patch: Partial<(typeof receivers)[number]>): void =>
    onChange({ receivers: receivers.map((one, at) => (at === index ? { ...one, ...patch } : one)) });
  return (
    <Input.Wrapper
      label={texts.receivers}
      labelElement="div"
      description={!isPending && sending.length === 0 ? texts.noApps : `${texts.addressHint} ${texts.receiversHint}`}
      error={fieldError(error, 'receivers')}
    >
      <Stack gap="sm" mt={6}>
        {receivers.map(({ app_id: id, address }, index) => (
          <Group key={index} gap="xs" align="flex-start">
            <Select
              flex="1 1 200px"
              aria-label={`${texts.app} ${index + 1}`}
              placeholder={texts.app}
              data={sending.map((app) => ({ value: app.id, label: app.name }))}
              searchable={sending.length > 8}
              allowDeselect={false}
              value={id || null}
              error={fieldError(error, `receivers.${index}.app_id`)}
              onChange={(next) => next && change(index, { app_id: next })}
            />
            <TextInput
              flex="2 1 220px"
              aria-label={`${texts.address} ${index + 1}`}
              placeholder={texts.address}
              maxLength={2_000}
              value={address}
              error={fieldError(error, `receivers.${index}.address`)}
              onChange={(event) => change(index, { address: event.currentTarget.value })}
            />
            {receivers.length > 1 && (
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                aria-label={texts.removeReceiver(index + 1)}
                onClick={() => onChange({ receivers: receivers.filter((_, at) => at !== index) })}
              >
                <Trash2 size={16} aria-hidden />
              </ActionIcon>
            )}
          </Group>
        ))}
        {receivers.length < most && (
          <Group>
            <Button
              variant="subtle"
              size="compact-sm"
              leftSection={<Plus size={14} aria-hidden />}
              onClick={() => onChange({ receivers: [...receivers, { app_id: '', address: '' }] })}
            >
              {texts.addReceiver}
            </Button>
          </Group>
        )}
      </Stack>
    </Input.Wrapper>
  );
}
