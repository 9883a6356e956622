import { Modal, NumberInput, Select, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { answer, api, type Schema, type Tagged } from '../../api/client.js';
import { channelTexts } from '../../texts/channels.js';
import { uiTexts } from '../../texts/ui.js';
import { AboutField } from '../../ui/about.js';
import { DialogButtons } from '../../ui/dialog.js';
import { EtagConflict } from '../../ui/etag-conflict.js';
import { errorBeside, fieldError, ProblemAlert } from '../../ui/notices.js';
import { useEditor } from '../../ui/use-editor.js';
import type { App, Channel } from './use-app.js';

const texts = channelTexts.form;
type Settings = Required<Schema<'ChannelSettings'>>;

const choices = <Value extends string>(labels: Readonly<Record<Value, string>>): { value: string; label: string }[] =>
  Object.entries<string>(labels).map(([value, label]) => ({ value, label }));

interface ChannelFormProps {
  app: App;
  /** What is edited. */
  shown: Tagged<Channel>;
  agents: Schema<'AgentView'>[];
  onClose: () => void;
}

export function ChannelForm({ app, shown, agents, onClose }: ChannelFormProps): ReactNode {
  const editor = useEditor({
    saved: settingsOf(shown.data),
    etag: shown.etag,
    touched: ['channels', 'apps'],
    save: ({ value: body }, match) =>
      answer(
        api.PUT('/api/v1/channels/{appId}', {
          params: { path: { appId: app.id }, header: { 'If-Match': match } },
          body,
        }),
      ),
    onSaved: onClose,
  });
  const { value: values, set, error } = editor;
  return (
    <Modal opened onClose={onClose} title={texts.title} size="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          editor.save();
        }}
      >
        <Stack gap="md">
          <Select
            label={texts.agent}
            data={[
              { value: '', label: texts.useChief },
              ...agents
                .filter(({ is_chief_of_staff }) => !is_chief_of_staff)
                .map(({ id, name }) => ({ value: id, label: name })),
            ]}
            value={values.agent_id ?? ''}
            allowDeselect={false}
            onChange={(id) => set({ agent_id: id || null })}
            data-autofocus
          />
          <AboutField topic="routes" label={texts.route}>
            <Choice
              label={texts.route}
              description={texts.routeHint}
              labels={texts.routes}
              value={values.route_policy}
              onChange={(route_policy) => set({ route_policy })}
            />
          </AboutField>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" style={{ alignItems: 'end' }}>
            <AboutField topic="sessions" label={texts.session}>
              <Choice
                label={texts.session}
                labels={texts.sessions}
                value={values.session_scope}
                onChange={(session_scope) => set({ session_scope })}
              />
            </AboutField>
            {app.kind === 'adapter' && (
              <AboutField topic="senders" label={texts.unknown}>
                <Choice
                  label={texts.unknown}
                  labels={texts.unknowns}
                  value={values.unknown_senders ?? 'hold'}
                  onChange={(unknown_senders) => set({ unknown_senders })}
                />
              </AboutField>
            )}
            <Choice label={texts.bots} labels={texts.reach} value={values.bots} onChange={(bots) => set({ bots })} />
            <Choice
              label={texts.automatic}
              labels={texts.reach}
              value={values.automatic}
              onChange={(automatic) => set({ automatic })}
            />
            <Choice
              label={texts.inbox}
              labels={texts.inboxes}
              value={values.inbox_mode ?? (app.kind === 'builtin' ? 'queue' : 'collect')}
              onChange={(inbox_mode) => set({ inbox_mode })}
            />
            <NumberInput
              label={texts.idle}
              min={1}
              value={values.idle_reset_minutes ?? ''}
              error={fieldError(error, 'idle_reset_minutes')}
              onChange={(value) => set({ idle_reset_minutes: typeof value === 'number' ? value : null })}
            />
            <NumberInput
              label={texts.ttl}
              description={texts.ttlHint}
              min={1}
              max={43_200}
              value={values.reply_ttl_seconds === null ? '' : values.reply_ttl_seconds / 60}
              error={fieldError(error, 'reply_ttl_seconds')}
              onChange={(value) =>
                set({ reply_ttl_seconds: typeof value === 'number' ? Math.round(value * 60) : null })
              }
            />
          </SimpleGrid>
          <TextInput
            label={texts.reply}
            description={texts.replyHint}
            value={values.reply_address ?? ''}
            error={fieldError(error, 'reply_address')}
            onChange={(event) => set({ reply_address: event.currentTarget.value || null })}
          />
          <Textarea
            label={texts.failure}
            autosize
            minRows={2}
            value={values.failure_notice ?? ''}
            onChange={(event) => set({ failure_notice: event.currentTarget.value || null })}
          />
          <Textarea
            label={texts.limit}
            description={texts.limitHint}
            autosize
            minRows={2}
            value={values.limit_notice ?? ''}
            error={fieldError(error, 'limit_notice')}
            onChange={(event) => set({ limit_notice: event.currentTarget.value || null })}
          />
          <ProblemAlert
            error={errorBeside(error, ['reply_address', 'idle_reset_minutes', 'reply_ttl_seconds', 'limit_notice'])}
          />
          <DialogButtons action={uiTexts.save} loading={editor.saving} onCancel={onClose} />
        </Stack>
      </form>
      <EtagConflict label={texts.title} {...editor.conflict} />
    </Modal>
  );
}

interface ChoiceProps<Value extends string> {
  label: string;
  description?: string;
  labels: Readonly<Record<Value, string>>;
  value: Value;
  onChange: (value: Value) => void;
}

function Choice<Value extends string>({ label, description, labels, value, onChange }: ChoiceProps<Value>): ReactNode {
  const values = Object.keys(labels) as Value[];
  return (
    <Select
      label={label}
      description={description}
      data={choices(labels)}
      value={value}
      allowDeselect={false}
      onChange={(chosen) => {
        const found = values.find((one) => one === chosen);
        if (found) onChange(found);
      }}
    />
  );
}

/** What may be sent: a channel as it is read has more. */
const settings: Record<keyof Settings, true> = {
  agent_id: true,
  route_policy: true,
  bots: true,
  automatic: true,
  reply_address: true,
  session_scope: true,
  unknown_senders: true,
  inbox_mode: true,
  idle_reset_minutes: true,
  daily_reset_hour: true,
  failure_notice: true,
  limit_notice: true,
  reply_ttl_seconds: true,
};

function settingsOf(channel: Channel): Settings {
  const names = Object.keys(settings) as (keyof Settings)[];
  return Object.fromEntries(names.map((name) => [name, channel[name]])) as Settings;
}
