import { Modal, Radio, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { answer, api } from '../../api/client.js';
import { useChange } from '../../api/use-change.js';
import { conversationTexts } from '../../texts/conversations.js';
import { ActionButton } from '../../ui/action-button.js';
import { DialogButtons } from '../../ui/dialog.js';
import { ProblemAlert } from '../../ui/notices.js';

const texts = conversationTexts.handBack;

interface HandBackProps {
  sessionId: string;
  waiting: number;
  reason: string | null;
}

/** Ends a takeover. If messages arrived meanwhile, asks who answers them. */
export function HandBack({ sessionId, waiting, reason }: HandBackProps): ReactNode {
  const [asking, setAsking] = useState(false);
  const [who, setWho] = useState('handled');
  const handBack = useChange(
    (answer_waiting: boolean) =>
      answer(
        api.POST('/api/v1/sessions/{id}/hand-back', { params: { path: { id: sessionId } }, body: { answer_waiting } }),
      ),
    'conversations',
  );
  return (
    <>
      <ActionButton
        variant="default"
        reason={reason}
        loading={handBack.isPending}
        onClick={() => (waiting > 0 ? setAsking(true) : handBack.mutate(false))}
      >
        {texts.action}
      </ActionButton>
      <ProblemAlert error={handBack.error} />
      <Modal opened={asking} onClose={() => setAsking(false)} title={texts.action} centered>
        <Stack gap="md">
          <Radio.Group label={texts.question(waiting)} value={who} onChange={setWho}>
            <Stack gap="xs" mt="xs">
              <Radio value="handled" label={texts.handled} />
              <Radio value="agent" label={texts.agent} />
            </Stack>
          </Radio.Group>
          <DialogButtons
            action={texts.confirm}
            onAction={() => {
              setAsking(false);
              handBack.mutate(who === 'agent');
            }}
            onCancel={() => setAsking(false)}
          />
        </Stack>
      </Modal>
    </>
  );
}
