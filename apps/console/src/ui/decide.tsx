import { Group, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { Check, Lock, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../api/client.js';
import { hasScope, type Session, useSession } from '../api/session.js';
import { useRefresh } from '../api/use-change.js';
import { approvalTexts } from '../texts/approvals.js';
import { ActionButton, ConfirmButton } from './action-button.js';
import { ProblemAlert } from './notices.js';

type Approval = Schema<'ApprovalView'>;

function useDecision(approval: Approval) {
  return useMutation({
    mutationFn: ({ approve, note }: { approve: boolean; note: string }) => {
      const request = { params: { path: { id: approval.id } }, body: note ? { note } : {} };
      return answer(
        approve
          ? api.POST('/api/v1/approvals/{id}/approve', request)
          : api.POST('/api/v1/approvals/{id}/refuse', request),
      );
    },
    onSuccess: ({ state }) => {
      const message = state === 'approved' ? approvalTexts.approvedNote : approvalTexts.refusedNote;
      notifications.show({ message, color: state === 'approved' ? 'teal' : 'gray' });
    },
    // Also after a refusal: somebody else may have decided first.
    onSettled: useRefresh('approvals', 'approval'),
  });
}

/** Approve or refuse, with a reason. Readers who may not decide see why. */
export function Decide({ approval }: { approval: Approval }): ReactNode {
  const [note, setNote] = useState('');
  const decision = useDecision(approval);
  const reason = whyNot(approval, useSession());
  const approve = (): void => decision.mutate({ approve: true, note });
  const texts = approvalTexts;
  if (reason)
    return (
      <Group gap={8} wrap="nowrap" align="flex-start" role="note">
        <Lock size={15} aria-hidden style={{ flexShrink: 0, marginTop: 3 }} />
        <Text size="sm">{reason}</Text>
      </Group>
    );
  return (
    <Stack gap="xs">
      <Group gap="xs" align="flex-end">
        <TextInput
          label={texts.note}
          description={texts.noteHint}
          maxLength={1_000}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
          flex="1 1 260px"
        />
        <ActionButton
          variant="default"
          leftSection={<X size={15} aria-hidden />}
          loading={decision.isPending && !decision.variables.approve}
          onClick={() => decision.mutate({ approve: false, note })}
        >
          {texts.refuse}
        </ActionButton>
        {approval.grade === 'destructive' ? (
          <ConfirmButton question={texts.approveQuestion} variant="filled" color="red" onConfirm={approve}>
            {texts.approve}
          </ConfirmButton>
        ) : (
          <ActionButton
            leftSection={<Check size={15} aria-hidden />}
            loading={decision.isPending && decision.variables.approve}
            onClick={approve}
          >
            {texts.approve}
          </ActionButton>
        )}
      </Group>
      <ProblemAlert error={decision.error} />
    </Stack>
  );
}

/** Why this person may not decide on the call; null: they may. The engine checks the same again. */
export function whyNot(approval: Approval, { member, scopes }: Session): string | null {
  const texts = approvalTexts.notice;
  const me = `user:${member.id}`;
  if (!hasScope(scopes, 'approvals:decide')) return texts.lacksScope;
  if (approval.requested_by.includes(me) && !approval.decide_own) return texts.own;
  if (!approval.approvers.includes(me)) return texts.notNamed;
  if (Date.parse(approval.expires_at) <= Date.now()) return texts.over;
  return null;
}
